// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_FRONT_HELPER_H
#define SARTOR_FRONT_HELPER_H

#include <stdint.h>

namespace sartor::front {

/// What the front finds in registers when it goes on in the program: see sartor_front_go_on().
struct Handover {
  long image;         ///< The image file, as the helper has it open.
  bool is_required;   ///< The program starts as planned, or not at all.
  bool is_last_trial; ///< It has been planned anew for this start.
};

/// Of the helper: holds its parent by ptrace() until the kernel has put the program into it, puts
/// the front there, lets go, and waits for its own end. `go`: a pipe from which a byte is read
/// before; `ready`: one to which a byte is written when the parent is held, and all that will be
/// done with it has been tried. `path`: the program's.
[[noreturn]] void help(long parent, long go, long ready, const Handover &handover,
                       const char *path);

} // namespace sartor::front

#endif
