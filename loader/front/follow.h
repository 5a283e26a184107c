// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_FOLLOW_H
#define SARTOR_LOADER_FRONT_FOLLOW_H

#include "front/fallback.h"
#include "front/helper.h"

namespace sartor::front {

/// Has the kernel execute the program in this process, as ever, so that it is the program's by all
/// that the kernel tells about it (/proc/self/exe, names, auxiliary vector); a helper holds it
/// there by ptrace() and puts the front into it, which goes on in follow_up. Returns only if that
/// is not possible, because somebody else traces this process or it may not be traced; nothing has
/// changed then.
void follow(const Handover &handover, const Fallback &program);

/// In the program: the helper is gone afterwards, and the program has neither a child nor a signal
/// of it. `waits`: the helper waits for its end, which is not to be told to the program.
void forget_helper(long helper, bool waits);

} // namespace sartor::front

#endif
