// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_HELPER_H
#define SARTOR_LOADER_FRONT_HELPER_H

#include <stdint.h>

namespace sartor::front {

/// What the front finds in registers when it goes on in the program: see sartor_front_go_on().
struct Handover {
  const char *image;  ///< The image file's path.
  bool is_required;   ///< The program starts as planned, or not at all.
  bool is_last_trial; ///< It has been planned anew for this start.
};

inline constexpr unsigned unknown_processor = ~0U;

struct Job {
  long parent; ///< The process that executes the program.
  /// Whoever filters system calls may end the helper for some: then all are tried before.
  bool is_filtered;
  unsigned processor; ///< On which the parent runs, or unknown_processor.
  int go;             ///< A pipe from which a byte comes when the parent may be held.
  int ready;          ///< One to which 'y' is written when it is.
  Handover handover;
  const char *path; ///< The program's.
};

/// Below the program's stack, the front leaves as much to variables that are added, and to what it
/// is handed over.
inline constexpr uint64_t room_of_front = 8192;

/// Bits of what it is handed over besides.
inline constexpr uint64_t is_required_bit = 1;
inline constexpr uint64_t is_last_trial_bit = 2;
inline constexpr uint64_t helper_waits_bit = 4; ///< For its end: see forget_helper().

/// Of the helper: holds its parent by ptrace() until the kernel has put the program into it, puts
/// the front there, and lets go.
[[noreturn]] void help(const Job &job);

} // namespace sartor::front

#endif
