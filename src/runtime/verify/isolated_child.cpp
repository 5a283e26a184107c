// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The child process. Another thread of its parent may have held any lock, memory is protected, and
// the thread-local variables belong to the code that is called: nothing here calls the C library.
// In a child that sees reads, nothing here reads a constant or a variable once the memory is
// protected. CMakeLists.txt has the options that keep the compiler from adding such accesses.
#include "runtime/verify/isolated_area.h"

#include <csignal>
#include <cstddef>
#include <cxxabi.h>

#include <linux/audit.h>
#include <linux/close_range.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "runtime/verify/isolated_kernel.h"
#include "runtime/verify/isolated_mappings.h"

// The only instruction whose system calls the filter allows.
asm(R"(
  .pushsection .text
  .hidden sartor_isolated_system_call
  .globl sartor_isolated_system_call
  .type sartor_isolated_system_call, @function
sartor_isolated_system_call:
  mov %rdi, %rax
  mov %rsi, %rdi
  mov %rdx, %rsi
  mov %rcx, %rdx
  mov %r8, %r10
  mov %r9, %r8
.Lsartor_isolated_enter_kernel:
  syscall
  .hidden sartor_isolated_after_call
  .globl sartor_isolated_after_call
sartor_isolated_after_call:
  ret
  .size sartor_isolated_system_call, . - sartor_isolated_system_call
  .hidden sartor_isolated_end_signal
  .globl sartor_isolated_end_signal
  .type sartor_isolated_end_signal, @function
sartor_isolated_end_signal:
  mov $15, %eax
  jmp .Lsartor_isolated_enter_kernel
  .size sartor_isolated_end_signal, . - sartor_isolated_end_signal
  .popsection
)");

namespace sartor::runtime {

namespace {

bool is_isolated = false;

void copy(void *to, const void *from, std::size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

void fill(void *to, unsigned char with, std::size_t bytes) {
  asm volatile("rep stosb" : "+D"(to), "+c"(bytes) : "a"(with) : "memory");
}

bool are_equal(const unsigned char *one, const unsigned char *other, std::size_t bytes) {
  bool equal = true;
  asm volatile("cmp %%eax, %%eax\n\trepe cmpsb\n\tsete %0"
               : "=q"(equal), "+S"(one), "+D"(other), "+c"(bytes)
               :
               : "memory", "cc");
  return equal;
}

/// The floating-point environment of the caller.
struct FloatControl {
  unsigned sse = 0;
  unsigned short x87 = 0;

  static FloatControl current() {
    FloatControl control;
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(control.sse), "=m"(control.x87));
    return control;
  }
  void set() const { asm volatile("fninit\n\tldmxcsr %0\n\tfldcw %1" : : "m"(sse), "m"(x87)); }
};

// Preparation: nothing is protected yet.

void announce(IsolatedArea &area) {
  area.robust.list.next = &area.link;
  area.link.next = &area.robust.list;
  area.robust.futex_offset = static_cast<long>(reinterpret_cast<char *>(&area.life) -
                                               reinterpret_cast<char *>(&area.link));
  area.robust.list_op_pending = nullptr;
  area.life = static_cast<std::uint32_t>(kernel(SYS_gettid)) | FUTEX_WAITERS;
  kernel(SYS_set_robust_list, &area.robust, sizeof area.robust);
  kernel(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (kernel(SYS_getppid) != area.parent)
    end_process();
}

/// Takes a table of descriptors without any, so that no file of the program stays open because of
/// the child, and opening one does not depend on the program's.
void leave_descriptors(IsolatedArea &area) {
  if (kernel(SYS_close_range, 0, ~0U, CLOSE_RANGE_UNSHARE) == 0)
    return;
  if (const long error = kernel(SYS_unshare, CLONE_FILES); error < 0) // Linux before 5.9
    give_up(area, Unprepared::descriptors, error);
}

/// The kernel writes to the area for restartable sequences, which will be protected, when it moves
/// the thread to another processor.
void stop_restartable_sequences(const IsolatedArea &area) {
  constexpr unsigned kSignature = 0x53053053;
  for (unsigned bytes = 32; area.rseq && bytes <= 512; bytes += 32) // the size must be the same
    if (kernel(SYS_rseq, area.rseq, bytes, 1 /* RSEQ_FLAG_UNREGISTER */, kSignature) == 0)
      return;
}

void confine(IsolatedArea &area) {
  const auto from = reinterpret_cast<std::uintptr_t>(sartor_isolated_after_call);
  constexpr unsigned kAddress = offsetof(seccomp_data, instruction_pointer);
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kAddress),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(from), 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kAddress + 4),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(from >> 32), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)};
  const sock_fprog program{sizeof filter / sizeof *filter, filter};
  long error = kernel(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0);
  if (error == 0)
    error = kernel(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  if (error < 0)
    give_up(area, Unprepared::filter, error);
}

void protect(IsolatedArea &area) {
  for (std::uint32_t i = 0; i < area.mapping_count; ++i) {
    const IsolatedMapping &mapping = area.mappings[i];
    const bool hides = mapping.kind == IsolatedMapping::Kind::device ||
                       (area.sees_reads && !(mapping.rights & PROT_EXEC));
    const int rights = hides ? PROT_NONE : mapping.rights & ~PROT_WRITE;
    if (const long error = kernel(SYS_mprotect, mapping.begin, mapping.end - mapping.begin, rights);
        error < 0)
      give_up(area, Unprepared::protection, error);
  }
}

/// Makes the code of the allocator writable, for breakpoints. Where that is not permitted, they are
/// not watched.
void watch_allocators(IsolatedArea &area) {
  for (std::uint32_t i = 0; i < kAllocators; ++i) {
    unsigned char *const function = area.allocators[i];
    const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(function) & ~(kPage - 1);
    if (function && kernel(SYS_mprotect, page, kPage, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
      area.first_bytes[i] = *function;
    else
      area.allocators[i] = nullptr;
  }
}

// The code runs.

constexpr unsigned char kBreakpoint = 0xcc;

void set_breakpoints(const IsolatedArea &area) {
  for (unsigned char *function : area.allocators)
    if (function)
      *static_cast<volatile unsigned char *>(function) = kBreakpoint;
}

void remove_breakpoints(const IsolatedArea &area) {
  for (std::uint32_t i = 0; i < kAllocators; ++i)
    if (area.allocators[i])
      *static_cast<volatile unsigned char *>(area.allocators[i]) = area.first_bytes[i];
}

bool is_breakpoint(const IsolatedArea &area, const unsigned char *code) {
  for (const unsigned char *function : area.allocators)
    if (function && function == code)
      return true;
  return false;
}

/// Ends a call of the code from a signal handler.
[[noreturn]] void leave(IsolatedArea &area) {
  if (!area.is_running)
    give_up(area, Unprepared::fault, 0);
  area.is_running = false;
  __builtin_longjmp(area.jump, 1);
}

IsolatedRun &current(IsolatedArea &area) {
  return area.runs[area.begun.load(std::memory_order_relaxed) - 1];
}

[[noreturn]] void refuse(IsolatedArea &area, Refusal refusal) {
  current(area).end = IsolatedEnd::refused;
  current(area).refusal = refusal;
  leave(area);
}

const IsolatedMapping *mapping_of(const IsolatedArea &area, std::uintptr_t address) {
  std::uint32_t low = 0;
  std::uint32_t high = area.mapping_count;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (area.mappings[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  const bool found = low < area.mapping_count && area.mappings[low].begin <= address;
  return found ? &area.mappings[low] : nullptr;
}

/// Records a page at the first access to it. Returns false if the program may not do that access.
bool open_page(IsolatedArea &area, std::uintptr_t address, bool is_write) {
  const IsolatedMapping *mapping = mapping_of(area, address);
  const std::uintptr_t page = address & ~(kPage - 1);
  if (!mapping)
    return false;
  if (mapping->kind == IsolatedMapping::Kind::device)
    refuse(area, Refusal::device);
  if (is_write && !(mapping->rights & PROT_WRITE))
    return false;
  if (is_write && mapping->kind == IsolatedMapping::Kind::shared)
    refuse(area, Refusal::shared_memory);
  if (area.page_count > 0 && area.pages[area.page_count - 1] == page)
    return false; // opening it has not helped
  if (area.page_count == area.most_pages)
    refuse(area, Refusal::size);
  const bool is_shared = mapping->kind == IsolatedMapping::Kind::shared;
  const int rights = is_shared ? mapping->rights & ~PROT_WRITE : mapping->rights;
  // Other threads do not exist, so that the page can be opened before it is copied.
  if (kernel(SYS_mprotect, page, kPage, rights) != 0)
    refuse(area, Refusal::protection);
  copy(area.originals + area.page_count * kPage, reinterpret_cast<const void *>(page), kPage);
  area.pages[area.page_count++] = page;
  return true;
}

/// True for a call that wakes threads of this process, as the C library makes at the end of an
/// initialization. The child has no other threads.
bool wakes_threads(int system_call, const gregset_t &registers) {
  return system_call == SYS_futex && registers[REG_RSI] == (FUTEX_WAKE | FUTEX_PRIVATE_FLAG);
}

void on_signal(int signal, siginfo_t *info, void *context) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  auto &area = *reinterpret_cast<IsolatedArea *>((here & ~(kFaultStack - 1)) + kFaultStack);
  if (!area.is_running)
    give_up(area, Unprepared::fault, -signal);
  IsolatedRun &run = current(area);
  auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  if (signal == SIGSYS) {
    if (wakes_threads(info->si_syscall, registers)) {
      registers[REG_RAX] = 0;
      return;
    }
    run.system_call = info->si_syscall;
    refuse(area, Refusal::system_call);
  }
  if (const auto at = reinterpret_cast<const unsigned char *>(registers[REG_RIP]) - 1;
      signal == SIGTRAP && !run.allocates && is_breakpoint(area, at)) {
    run.allocates = true;
    remove_breakpoints(area);
    --registers[REG_RIP];
    return;
  }
  run.address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (signal == SIGSEGV && info->si_code == SEGV_ACCERR &&
      open_page(area, run.address, (registers[REG_ERR] & 2) != 0))
    return;
  run.end = IsolatedEnd::crashed;
  run.signal = signal;
  leave(area);
}

void catch_signals(const IsolatedArea &area) {
  // The kernel's structure. The C library's functions may be replaced.
  const struct {
    void (*handler)(int, siginfo_t *, void *);
    unsigned long flags;
    void (*restorer)();
    unsigned long mask;
  } action = {on_signal, SA_SIGINFO | SA_ONSTACK | SA_NODEFER | 0x04000000UL /* SA_RESTORER */,
              sartor_isolated_end_signal, 0};
  stack_t stack{};
  stack.ss_sp = reinterpret_cast<char *>(const_cast<IsolatedArea *>(&area)) - kFaultStack;
  stack.ss_size = kFaultStack;
  kernel(SYS_sigaltstack, &stack, nullptr);
  unsigned long blocked = ~0UL;
  const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
  for (const int signal : caught) {
    kernel(SYS_rt_sigaction, signal, &action, nullptr, sizeof action.mask);
    blocked &= ~(1UL << (signal - 1));
  }
  kernel(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, nullptr, sizeof blocked);
}

/// Fills memory that the code will use as its stack, which code may copy uninitialized parts of.
[[gnu::noinline]] void fill_stack(unsigned char with) {
  unsigned char unused[16U << 10];
  fill(unused, with, sizeof unused);
}

[[gnu::noinline]] void call(IsolatedArea &area, IsolatedRun &run, void *code) {
  try {
    area.call(code, area.frame);
    run.end = IsolatedEnd::returned;
  } catch (...) {
    run.end = IsolatedEnd::threw;
    run.exception = abi::__cxa_current_exception_type();
  }
}

[[gnu::noinline]] void call_or_leave(IsolatedArea &area, IsolatedRun &run, void *code) {
  if (__builtin_setjmp(area.jump) == 0) {
    area.is_running = true;
    call(area, run, code);
  }
  area.is_running = false;
}

/// Calls the code, keeps what it has written, and restores the memory.
void make_run(IsolatedArea &area, void *code, const FloatControl &floats, unsigned char unused) {
  const std::uint32_t number = area.begun.load(std::memory_order_relaxed);
  IsolatedRun &run = area.runs[number];
  area.begun.store(number + 1, std::memory_order_release);
  fill_stack(unused);
  set_breakpoints(area);
  floats.set();
  const std::uint64_t begin = __builtin_ia32_rdtsc();
  call_or_leave(area, run, code);
  area.call_ticks += __builtin_ia32_rdtsc() - begin;
  floats.set();
  asm volatile("cld");
  remove_breakpoints(area);
  run.pages = area.page_count;
  if (!area.sees_reads) {
    for (std::uint32_t i = 0; i < area.page_count; ++i)
      copy(area.finals[number] + i * kPage, reinterpret_cast<const void *>(area.pages[i]), kPage);
    copy(area.frames[number], area.frame, area.frame_bytes);
    for (std::uint32_t i = 0; i < area.page_count; ++i)
      copy(reinterpret_cast<void *>(area.pages[i]), area.originals + i * kPage, kPage);
  }
  area.ended.store(number + 1, std::memory_order_release);
}

bool first_runs_are_equal(const IsolatedArea &area) {
  if (area.runs[0].end != area.runs[1].end || area.runs[0].exception != area.runs[1].exception)
    return false;
  for (std::uint32_t i = 0; i < area.page_count; ++i)
    if (!are_equal(area.content(0, i), area.content(1, i), kPage))
      return false;
  return true;
}

} // namespace

bool in_isolated_call() noexcept { return is_isolated; }

int isolated_child(void *argument) {
  auto &area = *static_cast<IsolatedArea *>(argument);
  const FloatControl floats = FloatControl::current();
  announce(area);
  leave_descriptors(area);
  stop_restartable_sequences(area);
  is_isolated = true;
  read_mappings(area);
  kernel(SYS_prctl, PR_SET_DUMPABLE, 0);
  catch_signals(area);
  confine(area);
  protect(area);
  watch_allocators(area);
  make_run(area, area.native, floats, 0);
  if (area.variant && area.runs[0].end != IsolatedEnd::refused) {
    make_run(area, area.variant, floats, 0);
    if (!first_runs_are_equal(area))
      make_run(area, area.native, floats, 0xa5);
  }
  end_process();
}

} // namespace sartor::runtime
