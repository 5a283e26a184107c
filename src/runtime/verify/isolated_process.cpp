// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/isolated_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <optional>
#include <system_error>

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pages.h"
#include "base/thread/no_cancel.h"
#include "base/traced.h"
#include "runtime/assumptions/hex.h"
#include "runtime/verify/allocator_memory.h"
#include "runtime/verify/system_call_name.h"

namespace sartor::runtime {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kStack = 8U << 20;
constexpr std::size_t kGuard = 64U << 10;
/// Time between looks at a child that has not ended.
constexpr timespec kLook = {0, 20'000'000};
/// Time that a child may take in total without ending, whatever it waits for.
constexpr std::chrono::seconds kPatience{30};

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SARTOR_HAS_SHADOW_MEMORY 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SARTOR_HAS_SHADOW_MEMORY 1
#endif

/// Why this process must not create a child, or null.
const char *obstacle() {
#ifdef SARTOR_HAS_SHADOW_MEMORY
  return "the library is built with a sanitizer, whose memory cannot be protected";
#else
  if (in_isolated_call())
    return "the process is the child of such a call";
  if (base::is_traced())
    return "the process is traced, and the code may have breakpoints";
  const int error = errno;
  const int mode = prctl(PR_GET_SECCOMP);
  errno = error;
  // Without seccomp in the kernel, the child cannot refuse system calls either.
  return mode == 0  ? nullptr
         : mode > 0 ? "the process is under seccomp, which could end it"
                    : "the system does not report whether the process is under seccomp";
#endif
}

void *area_of_restartable_sequences() {
  const bool registered = __rseq_size != 0;
  return registered ? static_cast<char *>(__builtin_thread_pointer()) + __rseq_offset : nullptr;
}

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPage - 1) & ~(kPage - 1); }

std::chrono::nanoseconds processor_time(pid_t process) {
  clockid_t clock = 0;
  timespec used{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0)
    return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

std::string text_of(int error) { return std::generic_category().message(error); }

} // namespace

IsolatedProcess::IsolatedProcess(const core::CheckedCall &call, Task task,
                                 const IsolationLimits &limits)
    : limits_(limits) {
  if (const char *why = obstacle()) {
    failure_ = why;
    return;
  }
  const int error = errno;
  if (make_area(call, task))
    run();
  else
    failure_ = "there is no memory for the call: " + text_of(errno);
  errno = error;
}

IsolatedProcess::~IsolatedProcess() {
  const int error = errno;
  std::optional<std::uint64_t> ticks;
  if (failure_.empty() && !hung_)
    ticks = area_->call_ticks;
  if (memory_)
    munmap(memory_, memory_bytes_);
  if (ticks)
    timer_.done(*ticks);
  errno = error;
}

// The guard, the stack of the code, a guard, the stack of signal handlers, the area, its arrays,
// and a guard.
bool IsolatedProcess::make_area(const core::CheckedCall &call, Task task) {
  const std::size_t runs = task.sees_reads ? 0 : task.variant ? kMostRuns : 1;
  const std::size_t pages = std::max<std::size_t>(limits_.bytes / kPage, 1);
  const std::size_t frame_bytes = whole_pages(call.frame_bytes);
  const std::size_t below = kGuard + kStack + kGuard + kFaultStack;
  const std::size_t area_bytes = whole_pages(sizeof(IsolatedArea));
  const std::size_t mapping_bytes = whole_pages(kMostMappings * sizeof(IsolatedMapping));
  const std::size_t list_bytes = whole_pages(pages * sizeof(std::uintptr_t));
  memory_bytes_ = kFaultStack + below + area_bytes + mapping_bytes + list_bytes +
                  runs * frame_bytes + (1 + runs) * pages * kPage + kGuard;
  void *memory = mmap(nullptr, memory_bytes_, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  memory_ = memory;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  auto *area =
      reinterpret_cast<unsigned char *>((begin + below + kFaultStack - 1) & ~(kFaultStack - 1));
  stack_end_ = area - kFaultStack - kGuard;
  if (mprotect(memory,
               static_cast<std::size_t>(stack_end_ - kStack - static_cast<unsigned char *>(memory)),
               PROT_NONE) != 0 ||
      mprotect(stack_end_, kGuard, PROT_NONE) != 0)
    return false;
  area_ = new (area) IsolatedArea{};
  area_->call = call.call;
  area_->frame = call.frame;
  area_->frame_bytes = call.frame_bytes;
  area_->native = task.native;
  area_->variant = task.variant;
  area_->sees_reads = task.sees_reads;
  area_->most_pages = static_cast<std::uint32_t>(pages);
  area_->parent = getpid();
  if (task.variant)
    for (std::uint32_t i = 0; i < kAllocators; ++i)
      area_->allocators[i] = allocator_functions()[i];
  area_->rseq = area_of_restartable_sequences();
  area_->begin = begin;
  area_->end = begin + memory_bytes_;
  unsigned char *next = area + area_bytes;
  const auto take = [&next](std::size_t bytes) {
    next += bytes;
    return next - bytes;
  };
  area_->mappings = reinterpret_cast<IsolatedMapping *>(take(mapping_bytes));
  area_->pages = reinterpret_cast<std::uintptr_t *>(take(list_bytes));
  area_->originals = take(pages * kPage);
  for (std::size_t run = 0; run < runs; ++run) {
    area_->frames[run] = take(frame_bytes);
    area_->finals[run] = take(pages * kPage);
  }
  return true;
}

void IsolatedProcess::run() {
  // The child inherits the mask: signals to the process group are for the program.
  const base::NoCancel no_cancel;
  const base::NoSignals no_signals;
  const pid_t child =
      clone(isolated_child, stack_end_, CLONE_FILES | CLONE_FS | CLONE_SYSVSEM, area_);
  if (child < 0) {
    failure_ = "no child process can be created: " + text_of(errno);
    return;
  }
  note_loss(wait(child));
  if (is_lost_)
    return;
  if (area_->unprepared != Unprepared::none)
    failure_ = why_unprepared();
  else if (area_->begun == 0)
    failure_ = "the child process was ended by the system or another process";
  else if (!hung_ && area_->ended != area_->begun)
    failure_ = "the child process was ended by the system or another process during the call";
}

// The code shares its stack with the functions that call it. After it has overwritten their frames,
// they fault in turn.
void IsolatedProcess::note_loss(int status) {
  static constexpr std::array kFaults{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
  const bool has_failed = area_->unprepared == Unprepared::fault;
  const int signal = has_failed ? area_->error : WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (hung_ || area_->ended == area_->begun ||
      !(has_failed || std::ranges::find(kFaults, signal) != kFaults.end()))
    return;
  is_lost_ = true;
  IsolatedRun &run = area_->runs[area_->begun - 1];
  if (run.signal == 0)
    run.signal = signal == 0 ? SIGSEGV : signal;
}

int IsolatedProcess::wait(pid_t child) {
  const auto begin = std::chrono::steady_clock::now();
  std::uint32_t seen = 0; // number of calls begun
  std::chrono::nanoseconds used_before{};
  bool ended = false;
  int status = 0;
  while (!ended) {
    const std::uint32_t life = area_->life;
    if ((life & FUTEX_OWNER_DIED) != 0)
      break;
    if (syscall(SYS_futex, &area_->life, FUTEX_WAIT, life, &kLook, nullptr, 0) == 0 ||
        errno == EAGAIN || errno == EINTR)
      continue;
    ended = waitpid(child, &status, __WALL | WNOHANG) == child;
    const auto used = processor_time(child);
    if (area_->begun != seen) {
      seen = area_->begun;
      used_before = used;
    } else if (!ended && ((seen > 0 && used - used_before > limits_.time) ||
                          std::chrono::steady_clock::now() - begin > kPatience)) {
      hung_ = seen > 0 && used - used_before > limits_.time;
      kill(child, SIGKILL); // not waited for yet, so that the number is the child's
      break;
    }
  }
  while (!ended)
    ended = waitpid(child, &status, __WALL) == child || errno != EINTR;
  hung_ = hung_ && area_->ended != area_->begun;
  return status;
}

std::string IsolatedProcess::why_unprepared() const {
  static constexpr std::array kWhy = {"",
                                      "the child process cannot leave the descriptors",
                                      "/proc/self/maps cannot be read",
                                      "the process has too many mappings",
                                      "memory cannot be protected",
                                      "system calls cannot be refused by seccomp",
                                      "the child process has failed"};
  std::string why = kWhy[static_cast<std::size_t>(area_->unprepared)];
  if (area_->error != 0)
    why += ": " + text_of(area_->error);
  return why;
}

IsolatedEnd IsolatedProcess::end(std::uint32_t run) const {
  if (run >= area_->begun)
    return IsolatedEnd::unknown;
  return run < area_->ended ? area_->runs[run].end
         : hung_            ? IsolatedEnd::hung
         : is_lost_         ? IsolatedEnd::crashed
                            : IsolatedEnd::unknown;
}

std::string IsolatedProcess::describe(std::uint32_t run) const {
  const IsolatedRun &made = area_->runs[run];
  switch (end(run)) {
  case IsolatedEnd::returned:
    return "returns";
  case IsolatedEnd::threw:
    return "throws an exception";
  case IsolatedEnd::crashed:
    return "crashes with signal " + std::to_string(made.signal) + " (SIG" +
           sigabbrev_np(made.signal) + ") at " + as_hex(made.address);
  case IsolatedEnd::hung:
    return "runs for more than " + std::to_string(limits_.time / 1ms) + " ms";
  case IsolatedEnd::unknown:
    return "was not called";
  case IsolatedEnd::refused:
    break;
  }
  switch (made.refusal) {
  case Refusal::system_call:
    return "makes the system call " + system_call_name(made.system_call);
  case Refusal::shared_memory:
    return "writes shared memory at " + as_hex(made.address);
  case Refusal::device:
    return "accesses the memory of a device at " + as_hex(made.address);
  case Refusal::size:
    return (area_->sees_reads ? "accesses more than " : "writes more than ") +
           std::to_string(area_->most_pages * kPage) + " bytes of memory";
  case Refusal::protection:
  case Refusal::none:
    break;
  }
  return "accesses memory that cannot be protected by pages, at " + as_hex(made.address);
}

std::vector<unsigned char> IsolatedProcess::frame(std::uint32_t run) const {
  if (run >= area_->ended || !area_->frames[run])
    return {};
  return {area_->frames[run], area_->frames[run] + area_->frame_bytes};
}

} // namespace sartor::runtime
