// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_FOLLOW_H
#define SARTOR_LOADER_FRONT_FOLLOW_H

#include "front/fallback.h"
#include "front/helper.h"

namespace sartor::front {

/// Lets the kernel execute the program in this process as usual, so that all kernel interfaces
/// (/proc/self/exe, names, auxiliary vector) show the program. A helper holds the process by
/// ptrace() and puts the front into it, which continues in follow_up. Returns only if that is not
/// possible, because the process is already traced or may not be traced; then nothing has changed.
void follow(const Handover &handover, const Fallback &program);

/// Runs in the program. Afterwards, the helper is gone, and the program has neither a child nor a
/// pending signal from it. `waits`: the helper waits to be ended, without a signal to the program.
void forget_helper(long helper, bool waits);

} // namespace sartor::front

#endif
