// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_ISOLATED_KERNEL_H
#define SARTOR_RUNTIME_VERIFY_ISOLATED_KERNEL_H

#include <sys/syscall.h>

#include "runtime/verify/isolated_area.h"

extern "C" {
[[gnu::visibility("hidden")]] long sartor_isolated_system_call(long number, ...);
[[gnu::visibility("hidden")]] extern const char sartor_isolated_after_call[];
[[gnu::visibility("hidden")]] void sartor_isolated_end_signal();
}

// For the child process only: system calls that change no variable of the program, as errno.
// Hidden, so that no call goes through memory that is protected.
namespace sartor::runtime {

/// Returns the kernel's result: the negative number of an error.
template <class... Arguments>
[[gnu::visibility("hidden")]] long kernel(long number, Arguments... arguments) {
  using Call = long (*)(long, long, long, long, long, long);
  const long given[5] = {(long)arguments...};
  return reinterpret_cast<Call>(sartor_isolated_system_call)(number, given[0], given[1], given[2],
                                                             given[3], given[4]);
}

[[noreturn, gnu::visibility("hidden")]] inline void end_process() {
  for (;;)
    kernel(SYS_exit_group, 0);
}

[[noreturn, gnu::visibility("hidden")]] inline void give_up(IsolatedArea &area, Unprepared why,
                                                            long error) {
  area.unprepared = why;
  area.error = static_cast<int>(-error);
  end_process();
}

} // namespace sartor::runtime

#endif
