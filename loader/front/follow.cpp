// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "front/follow.h"

#include <linux/fcntl.h>
#include <linux/prctl.h>
#include <linux/wait.h>

#include "front/system.h"
#include "front/text.h"

namespace sartor::front {

namespace {

constexpr int kill_signal = 9;  ///< SIGKILL
constexpr int child_ended = 17; ///< SIGCHLD

/// The kernel's. Handlers are 0 (the default) or 1 (ignored) in a program that has just begun.
struct SignalAction {
  uint64_t handler, flags, restorer, mask;
};

void end(long helper) {
  call(__NR_kill, helper, kill_signal);
  call(__NR_wait4, helper, 0, __WALL, 0);
}

struct Pipe {
  int from = -1, to = -1;
  [[nodiscard]] bool open() { return !is_error(call(__NR_pipe2, this, O_CLOEXEC)); }
  void close() const {
    if (from >= 0) {
      call(__NR_close, from);
      call(__NR_close, to);
    }
  }
};

} // namespace

void follow(const Handover &handover, const Fallback &program) {
  Pipe go;
  Pipe ready;
  if (!go.open() || !ready.open()) {
    go.close();
    return;
  }
  const long self = call(__NR_getpid);
  // No signal at its end: nothing that is done at the end of children has to be changed.
  const long helper = call(__NR_clone, 0, 0, 0, 0, 0);
  if (helper == 0) {
    call(__NR_close, ready.from);
    help(self, go.from, ready.to, handover, program.path);
  }
  char byte = 'n';
  if (!is_error(helper)) {
    call(__NR_close, ready.to);
    ready.to = -1;
    call(__NR_prctl, PR_SET_PTRACER, helper, 0, 0, 0);
    call(__NR_write, go.to, &byte, 1);
    if (call(__NR_read, ready.from, &byte, 1) != 1)
      byte = 'n';
    call(__NR_prctl, PR_SET_PTRACER, 0, 0, 0, 0);
  }
  go.close();
  ready.close();
  if (byte == 'y')
    call(__NR_execve, program.path, program.arguments, program.environment);
  // What may not be executed while it is held may be otherwise; what ends with the helper is
  // refused.
  if (!is_error(helper) && (byte != 'y' || !handover.is_required))
    end(helper);
}

int take_over(long helper, long image) {
  Line path;
  path.add("/proc/").add_number(static_cast<uint64_t>(helper));
  path.add("/fd/").add_number(static_cast<uint64_t>(image));
  const long file = call(__NR_open, path.text(), O_RDONLY | O_CLOEXEC, 0);
  // The kernel tells a process that has executed something of the end of each child that it had, by
  // a signal that may be blocked and wait for the program.
  const SignalAction ignore = {.handler = 1, .flags = 0, .restorer = 0, .mask = 0};
  SignalAction before = {};
  call(__NR_rt_sigaction, child_ended, &ignore, &before, sizeof before.mask);
  end(helper);
  call(__NR_rt_sigaction, child_ended, &before, 0, sizeof before.mask);
  return static_cast<int>(is_error(file) ? -1 : file);
}

} // namespace sartor::front
