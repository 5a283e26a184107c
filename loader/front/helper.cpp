// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/helper.h"

#include <asm/ptrace.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/ptrace.h>
#include <linux/wait.h>

#include "front/fallback.h"
#include "front/system.h"
#include "front/text.h"

#ifndef PTRACE_O_EXITKILL
#define PTRACE_O_EXITKILL (1 << 20)
#endif

extern "C" {
// NOLINTNEXTLINE(readability-identifier-naming): the linker's
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
void sartor_front_follow_up() __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));
}

namespace sartor::front {

namespace {

constexpr int trap = 5;                   ///< SIGTRAP
constexpr int kill_signal = 9;            ///< SIGKILL
constexpr int stops[] = {19, 20, 21, 22}; ///< SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU
constexpr int of_call = trap | 0x80; ///< Marks a stop at the begin or the end of a system call.
constexpr uint64_t all_signals = ~uint64_t{0};

/// The kernel's result of PTRACE_GETREGS.
struct Registers {
  uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, orig_rax, rip,
      cs, eflags, rsp, ss, fs_base, gs_base, ds, es, fs, gs;
};

/// A process that is held by ptrace(). Functions that may fail return a status, and no later step
/// assumes the success of a failed one.
class Held {
public:
  /// `is_filtered`: a filter may forbid the process to send itself a signal.
  Held(long process, bool is_filtered) : process_(process), is_filtered_(is_filtered) {}

  /// Seizes the process. A required program is killed if the helper ends from then on.
  [[nodiscard]] bool seize(bool is_required) { return does(PTRACE_SEIZE, 0, options(is_required)); }

  /// Tries all later operations on the process at a point where they are harmless, and lets it go.
  [[nodiscard]] bool try_all() {
    return seize(false) && does(PTRACE_INTERRUPT) && wait_for_stop() &&
           does(PTRACE_SETOPTIONS, 0, options(true)) &&
           does(PTRACE_SETOPTIONS, 0, options(false)) && hold_signals() && release_signals() &&
           may_be_ended() && does(PTRACE_GETREGS, 0, &begun_) && does(PTRACE_SETREGS, 0, &begun_) &&
           does(PTRACE_PEEKTEXT, begun_.rip, &first_[0]) &&
           does(PTRACE_POKETEXT, begun_.rip, first_[0]) && go_on_to_call() && does(PTRACE_CONT) &&
           does(PTRACE_INTERRUPT) && wait_for_stop() && does(PTRACE_DETACH);
  }

  /// Waits until the kernel has put the program into the process; returns false if it has ended or
  /// cannot be held.
  bool wait_for_program() {
    while (wait()) {
      if (event() == PTRACE_EVENT_EXEC)
        return true;
      if (!does(PTRACE_CONT, 0, passing_signal()))
        return false;
    }
    return false;
  }

  /// Puts the front into the process; on failure, the process is unchanged.
  bool inject(const Handover &handover) {
    if (!does(PTRACE_GETREGS, 0, &begun_))
      return false;
    begun_.rax = 0; // result of execve(), which returns when the process continues
    begun_.orig_rax = ~uint64_t{0};
    for (size_t i = 0; i < words_of_code; ++i)
      if (!does(PTRACE_PEEKTEXT, begun_.rip + i * sizeof first_[i], &first_[i]))
        return false;
    const long self = call(__NR_getpid);
    Line path;
    if (!add_own_file(path) || !write_below_stack(place_of_front(), room_for_front, path.text()) ||
        !write_below_stack(place_of_image(), room_for_image, handover.image))
      return false;
    // Until here, the process may continue without the helper. From here on, it is half changed and
    // must not continue alone. Signals are blocked until the program runs.
    if (!does(PTRACE_SETOPTIONS, 0, options(true)) || !hold_signals())
      return false;
    long front = -1;
    long base = -1;
    const bool is_mapped = map_front(front, base);
    const bool is_restored = write_code(first_);
    if (!is_mapped || !is_restored) {
      does(PTRACE_SETREGS, 0, &begun_);
      return false;
    }
    Registers next = begun_;
    next.rip = static_cast<uint64_t>(base) + (reinterpret_cast<uint64_t>(sartor_front_follow_up) -
                                              reinterpret_cast<uint64_t>(__ehdr_start));
    next.rdi = begun_.rsp;
    next.rsi = place_of_image();
    next.rdx = static_cast<uint64_t>(front);
    next.r12 = begun_.rip;
    next.r13 = static_cast<uint64_t>(self);
    next.r14 = (handover.is_required ? is_required_bit : 0) |
               (handover.is_last_trial ? is_last_trial_bit : 0) |
               (would_leave_signal() ? helper_waits_bit : 0);
    return does(PTRACE_SETREGS, 0, &next);
  }

  /// True if the helper's end would leave a signal pending. When a child of a process that has
  /// executed a program ends, the kernel sends SIGCHLD, which stays pending for the program if it
  /// is blocked.
  [[nodiscard]] bool would_leave_signal() const {
    constexpr int child_ended = 17; // SIGCHLD
    return (mask_ >> (child_ended - 1) & 1) != 0;
  }
  void let_go() {
    if (is_given_trap_)
      call(__NR_kill, process_, trap);
    if (holds_signals_)
      release_signals();
    does(PTRACE_DETACH);
  }
  /// Ends a process that must not continue as it is, with status 126 if possible.
  void end() {
    constexpr uint64_t code = 0x90050f000000e7b8; // mov $__NR_exit_group, %eax; syscall
    begun_.rdi = 126;
    if (does(PTRACE_POKETEXT, begun_.rip, code) && does(PTRACE_SETREGS, 0, &begun_) &&
        does(PTRACE_DETACH))
      return;
    call(__NR_kill, process_, kill_signal);
  }

private:
  static constexpr size_t words_of_code = 3;

  /// True if the program may end the helper by a signal, as forget_helper() does.
  [[nodiscard]] bool may_be_ended() const {
    return !would_leave_signal() || !is_error(call(__NR_kill, call(__NR_getpid), 0));
  }

  /// Adds the path of the front's file for other processes. Returns false if /proc does not name
  /// it. /proc may be of another namespace of processes, where this process has another number.
  static bool add_own_file(Line &path) {
    char self[room_for_front] = {};
    if (is_error(call(__NR_readlink, "/proc/self", self, sizeof self - 1)))
      return false;
    path.add("/proc/").add(self).add("/exe");
    return true;
  }
  static long options(bool ends_with_helper) {
    return PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | (ends_with_helper ? PTRACE_O_EXITKILL : 0);
  }
  template <class Data = long>
  bool does(long what, uint64_t address = 0, Data data = Data{}) const {
    return !is_error(call(__NR_ptrace, what, process_, address, data));
  }
  /// Blocks all signals except the one by which the injected code reports its end.
  bool hold_signals() {
    constexpr uint64_t held = all_signals & ~(uint64_t{1} << (trap - 1));
    holds_signals_ = does(PTRACE_GETSIGMASK, sizeof mask_, &mask_) &&
                     does(PTRACE_SETSIGMASK, sizeof held, &held);
    return holds_signals_;
  }
  bool release_signals() { return does(PTRACE_SETSIGMASK, sizeof mask_, &mask_); }

  [[nodiscard]] int event() const { return status_ >> 16; }
  [[nodiscard]] int signal() const { return status_ >> 8 & 0xff; }
  /// The signal that stopped the process and is to be delivered to it; 0 if there is none.
  [[nodiscard]] long passing_signal() const {
    return event() == 0 && signal() != of_call ? signal() : 0;
  }
  /// True if job control has stopped the process, which then stays stopped until it is continued.
  [[nodiscard]] bool is_stopped_by_job_control() const {
    if (event() != PTRACE_EVENT_STOP)
      return false;
    for (const int stop : stops)
      if (signal() == stop)
        return true;
    return false;
  }
  /// Waits until the process stops; returns false if it has ended.
  bool wait() {
    do {
      if (is_error(call(__NR_wait4, process_, &status_, __WALL, 0)) || (status_ & 0xff) != 0x7f)
        return false;
    } while (is_stopped_by_job_control() && does(PTRACE_LISTEN));
    return true;
  }
  bool wait_for_stop() {
    while (wait()) {
      if (event() == PTRACE_EVENT_STOP)
        return true;
      if (!does(PTRACE_CONT, 0, passing_signal()))
        return false;
    }
    return false;
  }
  /// Continues to the next begin or end of a system call.
  bool go_on_to_call() {
    long passing = 0;
    do {
      if (!does(PTRACE_SYSCALL, 0, passing) || !wait())
        return false;
      passing = passing_signal();
    } while (signal() != of_call || event() != 0);
    return true;
  }

  // Positions below the stack that are unused by the program, and by the front when it continues.
  static constexpr size_t room_for_front = 64;
  static constexpr size_t room_for_image = 3968;
  [[nodiscard]] uint64_t place_of_image() const {
    return (begun_.rsp - room_of_front) & ~uint64_t{7};
  }
  [[nodiscard]] uint64_t place_of_front() const { return place_of_image() + room_for_image; }
  /// Writes a text; returns false if there is not enough room.
  bool write_below_stack(uint64_t address, size_t room, const char *text) {
    const size_t size = length(text) + 1;
    if (size > room)
      return false;
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
      uint64_t word = 0;
      const size_t rest = size - at;
      memcpy(&word, text + at, rest < sizeof word ? rest : sizeof word);
      if (!does(PTRACE_POKETEXT, address + at, word))
        return false;
    }
    return true;
  }
  bool write_code(const uint64_t *words) {
    for (size_t i = 0; i < words_of_code; ++i)
      if (!does(PTRACE_POKETEXT, begun_.rip + i * sizeof *words, words[i]))
        return false;
    return true;
  }
  /// Runs code in the process, at the program's first instruction, that opens and maps the front.
  /// It is one piece of code, because each stop costs two context switches. Results are in %r8 and
  /// %r15.
  bool map_front(long &front, long &base) {
    constexpr unsigned char code[words_of_code * sizeof(uint64_t)] = {
        0xb0, __NR_open,       // mov $__NR_open, %al
        0x0f, 0x05,            // syscall
        0x41, 0x90,            // xchg %eax, %r8d: the file
        0x31, 0xff,            // xor %edi, %edi
        0x89, 0xde,            // mov %ebx, %esi
        0x0f, 0x05,            // syscall: fails without a file
        0x49, 0x97,            // xchg %rax, %r15
        0x44, 0x89,      0xe7, // mov %r12d, %edi
        0x44, 0x89,      0xee, // mov %r13d, %esi
        0x0f, 0x05,            // syscall: kill(), caught by the helper
        0xcc, 0xcc,            // int3, if kill() is forbidden
    };
    constexpr size_t end = sizeof code - 2;
    uint64_t words[words_of_code];
    memcpy(words, code, sizeof code);
    Registers registers = begun_;
    registers.rdi = place_of_front();
    registers.rsi = O_RDONLY | O_CLOEXEC;
    registers.rdx = PROT_READ | PROT_EXEC;
    registers.r8 = __NR_mmap;
    registers.r10 = MAP_PRIVATE;
    registers.r9 = 0;
    registers.rbx = reinterpret_cast<uint64_t>(etext) - reinterpret_cast<uint64_t>(__ehdr_start);
    registers.r15 = __NR_kill;
    registers.r12 = static_cast<uint64_t>(process_);
    registers.r13 = trap;
    if (!write_code(words) || !run_code(registers, end))
      return false;
    front = static_cast<int>(registers.r8);
    base = static_cast<long>(registers.r15);
    if (!is_error(base))
      return true;
    constexpr size_t last_call = 10;
    registers.rip = begun_.rip + last_call;
    registers.orig_rax = ~uint64_t{0};
    registers.rax = __NR_close;
    registers.rdi = static_cast<uint64_t>(front);
    registers.r15 = __NR_kill;
    run_code(registers, end);
    return false;
  }
  /// Runs the code until its last call. The helper sees that call's signal, or, in a filtered
  /// process, stops the call at its begin, and the call is not made.
  bool run_code(Registers &registers, size_t end) {
    if (!does(PTRACE_SETREGS, 0, &registers))
      return false;
    for (long passing = 0;;) {
      if (!does(is_filtered_ ? PTRACE_SYSCALL : PTRACE_CONT, 0, passing) || !wait() ||
          !does(PTRACE_GETREGS, 0, &registers))
        return false;
      passing = passing_signal();
      if (event() != 0 || (passing != trap && signal() != of_call))
        continue;
      if (registers.rip >= begun_.rip + end)
        return true;
      is_given_trap_ |= passing == trap; // sent by others: delivered later
      passing = 0;
    }
  }

  long process_;
  bool is_filtered_;
  int status_ = 0;
  uint64_t mask_ = 0;
  bool holds_signals_ = false;         ///< mask_ is the signal mask to restore.
  bool is_given_trap_ = false;         ///< Another process has sent SIGTRAP.
  uint64_t first_[words_of_code] = {}; ///< The program's first instructions.
  Registers begun_ = {};
};

/// Pins the helper to a processor. Helper and program always wait for one another, and waking
/// another processor would take longer.
void stay_on(unsigned processor) {
  uint64_t set[16] = {};
  constexpr unsigned bits = 64;
  if (processor >= sizeof set * 8)
    return;
  set[processor / bits] = uint64_t{1} << processor % bits;
  call(__NR_sched_setaffinity, 0, sizeof set, set);
}

[[noreturn]] void wait_for_end() {
  for (;;)
    call(__NR_pause);
}

} // namespace

void help(const Job &job) {
  // Signals for the program's terminal or process group must not end or stop the helper while it
  // holds the program. The helper also must not outlive its parent.
  call(__NR_setpgid, 0, 0);
  stay_on(job.processor);
  call(__NR_rt_sigprocmask, 0, &all_signals, 0, sizeof all_signals);
  call(__NR_prctl, PR_SET_PDEATHSIG, kill_signal, 0, 0, 0);
  if (call(__NR_getppid) != job.parent)
    leave(0);
  Held held(job.parent, job.is_filtered);
  const bool is_required = job.handover.is_required;
  // Where tracing is restricted, the parent is now permitting this process to trace it.
  char byte = 'n';
  const bool is_held = (!job.is_filtered && held.seize(is_required)) ||
                       (call(__NR_read, job.go, &byte, 1) == 1 &&
                        (!job.is_filtered || held.try_all()) && held.seize(is_required));
  byte = is_held ? 'y' : 'n';
  const bool is_reported = call(__NR_write, job.ready, &byte, 1) == 1;
  close_file(job.ready);
  // A parent that has not received the answer does not wait for the helper. A required program is
  // held anyway: it ends by itself if it is refused.
  if (!is_held || (!is_reported && !is_required) || !held.wait_for_program())
    leave(0);
  if (!held.inject(job.handover)) {
    say(job.path, is_required ? "the front cannot be put into it: it is refused"
                              : "the front cannot be put into it: the stock loader starts it");
    if (is_required)
      held.end();
    else
      held.let_go();
    leave(0);
  }
  const bool waits = held.would_leave_signal();
  held.let_go();
  if (waits)
    wait_for_end();
  leave(0);
}

} // namespace sartor::front
