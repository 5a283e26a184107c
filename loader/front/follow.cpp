// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/follow.h"

#include <asm/ptrace.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/ptrace.h>
#include <linux/wait.h>

#include "front/hook.h"
#include "front/system.h"
#include "front/text.h"

extern "C" {
// NOLINTNEXTLINE(readability-identifier-naming): the linker's
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
void sartor_front_follow_up() __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));
}

namespace sartor::front {

namespace {

constexpr int trap = 5;         ///< SIGTRAP
constexpr int child_ended = 17; ///< SIGCHLD

/// The kernel's. Handlers are 0 (the default), 1 (ignored), or do not survive execve().
struct SignalAction {
  uint64_t handler, flags, restorer, mask;
};

/// What the front finds in registers when it goes on: see sartor_front_go_on().
struct Handover {
  long front, image;
  uint64_t action; ///< What is to be done at the end of children.
};

/// What the kernel hands out for PTRACE_GETREGS.
struct Registers {
  uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, orig_rax, rip,
      cs, eflags, rsp, ss, fs_base, gs_base, ds, es, fs, gs;
};

/// Of the helper: a process that it holds.
class Held {
public:
  explicit Held(long process) : process_(process) {}

  [[nodiscard]] bool seize() const {
    return !is_error(call(__NR_ptrace, PTRACE_SEIZE, process_, 0, PTRACE_O_TRACEEXEC));
  }
  /// Until the kernel has put the program into it; false if it has ended.
  bool wait_for_program() {
    for (;;) {
      int status = 0;
      if (is_error(call(__NR_wait4, process_, &status, __WALL, 0)) || (status & 0xff) != 0x7f)
        return false;
      if (status >> 8 == (trap | PTRACE_EVENT_EXEC << 8))
        return resume(PTRACE_SYSCALL); // to the end of execve(), which sets a register yet
      const bool is_signal = status >> 16 == 0;
      call(__NR_ptrace, PTRACE_CONT, process_, 0, is_signal ? status >> 8 & 0xff : 0);
    }
  }
  bool inject(const Handover &handover) {
    Registers begun;
    call(__NR_ptrace, PTRACE_GETREGS, process_, 0, &begun);
    const uint64_t size =
        reinterpret_cast<uint64_t>(etext) - reinterpret_cast<uint64_t>(__ehdr_start);
    const long base = make_call(begun, __NR_mmap, 0, static_cast<long>(size), PROT_READ | PROT_EXEC,
                                MAP_PRIVATE, handover.front, 0);
    Registers next = begun;
    next.orig_rax = ~uint64_t{0};
    if (!is_error(base)) {
      next.rip = static_cast<uint64_t>(base) + (reinterpret_cast<uint64_t>(sartor_front_follow_up) -
                                                reinterpret_cast<uint64_t>(__ehdr_start));
      next.rdi = begun.rsp;
      next.rsi = static_cast<uint64_t>(handover.image);
      next.rdx = static_cast<uint64_t>(handover.front);
      next.r12 = begun.rip;
      next.r13 = static_cast<uint64_t>(call(__NR_getpid));
      next.r14 = handover.action;
    }
    call(__NR_ptrace, PTRACE_SETREGS, process_, 0, &next);
    return !is_error(base);
  }
  void let_go() const { call(__NR_ptrace, PTRACE_DETACH, process_, 0, signal_); }

private:
  /// In the process, where its first instruction is, which is put back.
  long make_call(const Registers &begun, long number, long a, long b, long c, long d, long e,
                 long f) {
    constexpr uint64_t syscall = 0x050f;
    uint64_t first = 0;
    call(__NR_ptrace, PTRACE_PEEKTEXT, process_, begun.rip, &first);
    call(__NR_ptrace, PTRACE_POKETEXT, process_, begun.rip, (first & ~uint64_t{0xffff}) | syscall);
    Registers registers = begun;
    registers.orig_rax = ~uint64_t{0};
    registers.rax = static_cast<uint64_t>(number);
    registers.rdi = static_cast<uint64_t>(a);
    registers.rsi = static_cast<uint64_t>(b);
    registers.rdx = static_cast<uint64_t>(c);
    registers.r10 = static_cast<uint64_t>(d);
    registers.r8 = static_cast<uint64_t>(e);
    registers.r9 = static_cast<uint64_t>(f);
    call(__NR_ptrace, PTRACE_SETREGS, process_, 0, &registers);
    if (!resume(PTRACE_SINGLESTEP) ||
        is_error(call(__NR_ptrace, PTRACE_GETREGS, process_, 0, &registers)))
      return -1;
    call(__NR_ptrace, PTRACE_POKETEXT, process_, begun.rip, first);
    return registers.rip == begun.rip + 2 ? static_cast<long>(registers.rax) : -1;
  }
  /// Until it stops again; false if it has ended.
  bool resume(long how) {
    int status = 0;
    if (is_error(call(__NR_ptrace, how, process_, 0, 0)) ||
        is_error(call(__NR_wait4, process_, &status, __WALL, 0)) || (status & 0xff) != 0x7f)
      return false;
    if (const int signal = status >> 8 & 0xff; signal != trap && status >> 16 == 0)
      signal_ = signal; // for later
    return true;
  }

  long process_;
  long signal_ = 0;
};

/// `ready`: a pipe, to which a byte is written when the process is held.
[[noreturn]] void help(long process, long ready, const Handover &handover) {
  Held held(process);
  const char byte = held.seize() ? 'y' : 'n';
  call(__NR_write, ready, &byte, 1);
  call(__NR_close, ready);
  if (byte == 'y' && held.wait_for_program()) {
    held.inject(handover);
    held.let_go();
  }
  call(__NR_exit_group, 0);
  __builtin_unreachable();
}

} // namespace

void follow(int image, const char *path, char **arguments, char **environment) {
  const long front = call(__NR_open, "/proc/self/exe", O_RDONLY, 0);
  int ready[2];
  if (is_error(front) || is_error(call(__NR_pipe2, ready, O_CLOEXEC)))
    return;
  // Children of who ignores their end leave nothing behind; this survives execve().
  SignalAction ignore = {.handler = 1, .flags = 0, .restorer = 0, .mask = 0};
  SignalAction before = {};
  call(__NR_rt_sigaction, child_ended, &ignore, &before, sizeof before.mask);
  call(__NR_prctl, PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  const long self = call(__NR_getpid);
  const long child = call(__NR_clone, child_ended, 0, 0, 0, 0);
  if (child == 0)
    help(self, ready[1], {.front = front, .image = image, .action = before.handler});
  call(__NR_close, ready[1]);
  char byte = 'n';
  if (!is_error(child))
    call(__NR_read, ready[0], &byte, 1);
  call(__NR_close, ready[0]);
  call(__NR_prctl, PR_SET_PTRACER, 0, 0, 0, 0);
  if (byte == 'y')
    start_stock(path, arguments, environment);
  forget_helper(child, before.handler);
  call(__NR_close, front);
}

void forget_helper(long helper, uint64_t action) {
  if (!is_error(helper))
    call(__NR_wait4, helper, 0, __WALL, 0);
  const SignalAction as_before = {.handler = action, .flags = 0, .restorer = 0, .mask = 0};
  call(__NR_rt_sigaction, child_ended, &as_before, 0, sizeof as_before.mask);
}

} // namespace sartor::front
