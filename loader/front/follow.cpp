// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/follow.h"

#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/wait.h>

#include "front/system.h"
#include "front/text.h"

namespace sartor::front {

/// Makes a system call clone(), in which the child calls a function that does not return, on a
/// stack of its own. The arguments are in %rdi, %rsi, %rdx, %rcx.
__asm__(R"(
  .text
  .globl sartor_front_clone
  .hidden sartor_front_clone
sartor_front_clone:
  sub $16, %rsi
  mov %rdx, (%rsi)
  mov %rcx, 8(%rsi)
  xor %edx, %edx
  xor %r10d, %r10d
  xor %r8d, %r8d
  mov $56, %eax
  syscall
  test %rax, %rax
  jz 1f
  ret
1:
  xor %ebp, %ebp
  pop %rax
  pop %rdi
  call *%rax
)");

extern "C" __attribute__((visibility("hidden"))) long
sartor_front_clone(long flags, uint64_t stack, void (*function)(const Job &), const Job *job);

namespace {

constexpr int kill_signal = 9;  ///< SIGKILL
constexpr int child_ended = 17; ///< SIGCHLD
constexpr int set_mask = 2;     ///< SIG_SETMASK

/// The kernel's struct sigaction. In a program that has just begun, handlers are 0 (default) or 1
/// (ignored).
struct SignalAction {
  uint64_t handler, flags, restorer, mask;
};

/// Waits for the helper, and kills it first unless it ends by itself (`leaves`). A helper that
/// neither ends nor may be killed ends with this process.
void end(long helper, bool leaves) {
  if (leaves || !is_error(call(__NR_kill, helper, kill_signal)))
    call(__NR_wait4, helper, 0, __WALL, 0);
}

struct Pipe {
  int from = -1, to = -1;
  [[nodiscard]] bool open() { return !is_error(call(__NR_pipe2, this, O_CLOEXEC)); }
  void close() const {
    if (from >= 0) {
      close_file(from);
      close_file(to);
    }
  }
};

} // namespace

namespace {

/// Starts the helper. It shares this process's memory, which starts it faster; but a process that a
/// system-call filter kills may take other processes that share its memory with it, so a filtered
/// helper does not share it.
long start_helper(const Job &job) {
  constexpr size_t stack_size = 64 << 10;
  const void *stack = map(0, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  if (is_error(stack))
    return reinterpret_cast<long>(stack);
  // The helper sends no signal at its end, so that the process's handling of child signals need not
  // change.
  constexpr long shares_memory = 0x100; // CLONE_VM
  return sartor_front_clone(job.is_filtered ? 0 : shares_memory,
                            reinterpret_cast<uint64_t>(stack) + stack_size, help, &job);
}

} // namespace

void follow(const Handover &handover, const Fallback &program) {
  Pipe go;
  Pipe ready;
  if (!go.open() || !ready.open()) {
    go.close();
    return;
  }
  const bool is_filtered = call(__NR_prctl, PR_GET_SECCOMP) != 0;
  uint64_t blocked = 0;
  const bool is_mask_known =
      is_filtered && !is_error(call(__NR_rt_sigprocmask, set_mask, 0, &blocked, sizeof blocked));
  unsigned processor = unknown_processor;
  if (!is_filtered)
    call(__NR_getcpu, &processor, 0, 0);
  const Job job = {.parent = call(__NR_getpid),
                   .is_filtered = is_filtered,
                   .processor = processor,
                   .go = go.from,
                   .ready = ready.to,
                   .handover = handover,
                   .path = program.path};
  const long helper = start_helper(job);
  char byte = 'n';
  long heard = -1;
  if (!is_error(helper)) {
    close_file(ready.to);
    ready.to = -1;
    call(__NR_prctl, PR_SET_PTRACER, helper, 0, 0, 0);
    // A helper that has not received the byte does not answer.
    if (call(__NR_write, go.to, &byte, 1) == 1)
      heard = call(__NR_read, ready.from, &byte, 1);
    if (heard != 1)
      byte = 'n';
    call(__NR_prctl, PR_SET_PTRACER, 0, 0, 0, 0);
  }
  go.close();
  ready.close();
  if (byte == 'y') {
    // The helper should be waiting already. If it still runs, the kernel would place the program on
    // another processor, which would have to wake this one at each stop.
    if (!is_filtered)
      call(__NR_sched_yield);
    call(__NR_execve, program.path, program.arguments, program.environment);
  }
  // A program that cannot be executed while it is traced may be executable otherwise. A required
  // program may be killed together with the helper, and the helper ends with this process.
  if (!is_error(helper) && !handover.is_required)
    end(helper, byte == 'n' && !is_error(heard));
  // A filtered helper tries to block this process's signals, and may have been killed before it has
  // unblocked them.
  if (is_mask_known)
    call(__NR_rt_sigprocmask, set_mask, &blocked, 0, sizeof blocked);
}

void forget_helper(long helper, bool waits) {
  if (!waits) {
    call(__NR_wait4, helper, 0, __WALL, 0);
    return;
  }
  const SignalAction ignore = {.handler = 1, .flags = 0, .restorer = 0, .mask = 0};
  SignalAction before = {};
  uint64_t waiting = 0; // a pending SIGCHLD is lost when it is ignored
  call(__NR_rt_sigpending, &waiting, sizeof waiting);
  call(__NR_rt_sigaction, child_ended, &ignore, &before, sizeof before.mask);
  end(helper, false);
  call(__NR_rt_sigaction, child_ended, &before, 0, sizeof before.mask);
  if ((waiting >> (child_ended - 1) & 1) != 0)
    call(__NR_kill, call(__NR_getpid), child_ended);
}

} // namespace sartor::front
