// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_FRONT_FOLLOW_H
#define SARTOR_FRONT_FOLLOW_H

#include "front/stack.h"

namespace sartor::front {

/// Has the kernel execute the program in this process, as ever, so that it is the program's by all
/// that the kernel tells about it (/proc/self/exe, names, auxiliary vector); a helper holds it
/// there by ptrace() and puts the front into it, which goes on in follow_up. Returns only if that
/// is not possible, because somebody else traces this process or it may not be traced; nothing has
/// changed then. `image` is the image file, open.
void follow(int image, const char *path, char **arguments, char **environment);

/// Waits for the helper's end, and has what is done at the end of children be done as before.
void forget_helper(long helper, uint64_t action);

} // namespace sartor::front

#endif
