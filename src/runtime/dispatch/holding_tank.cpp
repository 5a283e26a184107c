// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/holding_tank.h"

#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>

#include <cpuid.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/never_destroyed.h"
#include "base/readers.h"
#include "runtime/dispatch/entry.h"
#include "runtime/dispatch/retire.h"

// Vector registers that may hold arguments, including masks and upper halves, are saved by XSAVE,
// in an area of kAreaBytes: as in the dynamic linker (elf/dl-trampoline in glibc).
extern "C" {
/// Called by the stub with this number: waits until the call may continue, and returns the code
/// where it continues. `frame` is the stack pointer before the call.
[[gnu::visibility("hidden")]] void *sartor_hold(unsigned stub, std::uintptr_t frame);
[[gnu::visibility("hidden")]] extern const char sartor_holding_stubs[];
[[gnu::visibility("hidden")]] extern unsigned sartor_holding_mask;
unsigned sartor_holding_mask = 0;
}

namespace sartor::runtime {

/// Places are never released, as a call may reach one at any time.
struct HoldingTank::Place {
  std::atomic<bool> taken = false;
  std::atomic<const Entry *> entry = nullptr;
  std::atomic<std::uint32_t> closed = 0; ///< Callers wait for this to become 0.
  /// The end of the wait, in nanoseconds of the monotonic clock.
  std::atomic<std::int64_t> until = 0;
  std::atomic<pid_t> made_by = 0;
  std::atomic<std::uint64_t> held = 0;
  std::atomic<std::int64_t> longest = 0;
  std::atomic<HeldCallers *> count = nullptr;
  std::shared_ptr<HeldCallers> counted; ///< The owner of `count`.
  std::uint64_t stamp = 0;              ///< The time when it was last closed.
};

namespace {

constexpr std::size_t kHoldingPlaces = 256; // there are two stubs for each

constexpr std::size_t kStubBytes = 16;
constexpr unsigned kAreaBytes = 2816; // 44 cache lines; repeated in the code below

/// Returns the state components SSE, AVX, and the three of AVX-512; 0 if XSAVE is not available, or
/// needs more memory.
unsigned find_mask() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0)
    return 0;
  unsigned enabled = 0;
  __asm__("xgetbv" : "=a"(enabled), "=d"(d) : "c"(0));
  const unsigned mask = enabled & 0xe6U;
  for (unsigned part = 2; part < 8; ++part)
    if ((mask >> part & 1U) != 0) {
      __cpuid_count(0xd, part, a, b, c, d);
      if (a + b > kAreaBytes) // its size and its offset
        return 0;
    }
  return mask;
}

/// True if all registers that may hold arguments can be saved on this processor.
bool can_hold() {
  static const bool can = [] {
    sartor_holding_mask = find_mask();
    return sartor_holding_mask != 0;
  }();
  return can;
}

/// Returns code that can be called like any function: it calls sartor_hold() and jumps to the
/// result, with all arguments unchanged in the registers and on the stack.
void *holding_stub(std::size_t number) {
  return const_cast<char *>(sartor_holding_stubs + number * kStubBytes);
}

constinit base::NeverDestroyed<std::array<HoldingTank::Place, kHoldingPlaces>> all_places;
auto &places = all_places.value;

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

/// Waits until a time of the monotonic clock. It is no cancellation point and takes no lock.
void sleep_on(std::atomic<std::uint32_t> &word, std::int64_t until) {
  const timespec time{.tv_sec = until / kSecond, .tv_nsec = until % kSecond};
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 1, &time, nullptr, FUTEX_BITSET_MATCH_ANY);
}

void wait_in(HoldingTank::Place &place) {
  const std::int64_t begin = now(), until = place.until;
  if (begin >= until)
    return;
  ++place.held;
  if (HeldCallers *count = place.count)
    ++count->callers;
  std::int64_t at = begin;
  for (; place.closed != 0 && at < until; at = now())
    sleep_on(place.closed, until);
  std::int64_t longest = place.longest;
  while (longest < at - begin && !place.longest.compare_exchange_weak(longest, at - begin)) {
  }
}

} // namespace

std::unique_ptr<HoldingTank> HoldingTank::close(const Entry &entry, const Holding &how) {
  if (!can_hold())
    return nullptr;
  for (Place &place : places) {
    if (place.taken.exchange(true))
      continue;
    place.entry = &entry;
    place.until = now() + how.at_most.count();
    place.made_by = gettid();
    place.held = 0;
    place.longest = 0;
    place.counted = how.count;
    place.count = how.count.get();
    place.stamp = base::stamp();
    place.closed = 1;
    return std::unique_ptr<HoldingTank>(new HoldingTank(place));
  }
  return nullptr;
}

// A thread that has read the way in may still use it, until its section has ended.
HoldingTank::~HoldingTank() {
  place_.closed = 0;
  syscall(SYS_futex, &place_.closed, FUTEX_WAKE_PRIVATE, INT_MAX);
  const auto release = [](Place *place) {
    place->entry = nullptr;
    place->count = nullptr;
    place->counted.reset();
    place->taken = false;
  };
  retire(std::shared_ptr<Place>(&place_, release), place_.stamp);
}

void *HoldingTank::way_in(bool direct) const {
  return holding_stub(static_cast<std::size_t>(&place_ - places.data()) * 2 + (direct ? 1 : 0));
}

std::uint64_t HoldingTank::held() const { return place_.held; }

std::chrono::nanoseconds HoldingTank::longest() const {
  return std::chrono::nanoseconds(place_.longest);
}

bool HoldingTank::is_in_time() const { return now() < place_.until; }

} // namespace sartor::runtime

extern "C" void *sartor_hold(unsigned stub, std::uintptr_t frame) {
  using namespace sartor;
  runtime::HoldingTank::Place &place = runtime::places[stub / 2];
  const bool is_direct = stub % 2 == 1;
  const auto leave = [&] {
    return is_direct ? base::leave_to_block(frame) : base::leave_to_wait();
  };
  if (place.closed != 0 && place.made_by != gettid() && leave() != base::Left::not_at_all) {
    runtime::wait_in(place);
    // From here on, a thread that invalidates a quasi-invariant waits for this one, which must see
    // the code that was activated.
    base::come_back();
  }
  const runtime::Entry *entry = place.entry;
  return entry->behind_tank(is_direct);
}

__asm__(R"(
  .text
  .hidden sartor_holding_stubs
  .globl sartor_holding_stubs
  .p2align 4
  .type sartor_holding_stubs, @function
sartor_holding_stubs:
  .set stub, 0
  .rept 512
  .p2align 4
  endbr64
  movl $stub, %r11d
  jmp .Lheld
  .set stub, stub + 1
  .endr
  .p2align 4
.Lheld:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  pushq %rdi
  pushq %rsi
  pushq %rdx
  pushq %rcx
  pushq %r8
  pushq %r9
  pushq %rax
  pushq %r10
  subq $2816, %rsp
  andq $-64, %rsp
  xorl %edx, %edx
  movq %rdx, 512(%rsp)
  movq %rdx, 520(%rsp)
  movq %rdx, 528(%rsp)
  movq %rdx, 536(%rsp)
  movq %rdx, 544(%rsp)
  movq %rdx, 552(%rsp)
  movq %rdx, 560(%rsp)
  movq %rdx, 568(%rsp)
  movl sartor_holding_mask(%rip), %eax
  xsave (%rsp)
  movl %r11d, %edi
  leaq 16(%rbp), %rsi
  call sartor_hold
  movq %rax, %r11
  xorl %edx, %edx
  movl sartor_holding_mask(%rip), %eax
  xrstor (%rsp)
  leaq -64(%rbp), %rsp
  popq %r10
  popq %rax
  popq %r9
  popq %r8
  popq %rcx
  popq %rdx
  popq %rsi
  popq %rdi
  popq %rbp
  .cfi_def_cfa %rsp, 8
  jmpq *%r11
  .cfi_endproc
  .size sartor_holding_stubs, . - sartor_holding_stubs
)");
