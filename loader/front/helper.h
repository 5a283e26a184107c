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

struct Job {
  long parent; ///< The process that executes the program.
  /// Whoever filters system calls may end the helper for some: then all are tried before.
  bool is_filtered;
  int go;    ///< A pipe from which a byte comes when the parent may be held.
  int ready; ///< One to which 'y' is written when it is.
  Handover handover;
  const char *path; ///< The program's.
};

/// Of the helper: holds its parent by ptrace() until the kernel has put the program into it, puts
/// the front there, lets go, and waits for its own end.
[[noreturn]] void help(const Job &job);

} // namespace sartor::front

#endif
