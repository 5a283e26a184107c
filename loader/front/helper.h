// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_FRONT_HELPER_H
#define SARTOR_LOADER_FRONT_HELPER_H

#include <stdint.h>

namespace sartor::front {

/// Data for the front, which finds it in registers when it continues in the program: see
/// sartor_front_go_on().
struct Handover {
  const char *image;  ///< Path of the image file.
  bool is_required;   ///< The program starts as planned, or not at all.
  bool is_last_trial; ///< The program has been planned again for this start.
};

inline constexpr unsigned unknown_processor = ~0U;

struct Job {
  long parent; ///< The process that executes the program.
  /// The parent runs under a system-call filter, which may kill the helper for some calls: all
  /// calls are tried first.
  bool is_filtered;
  unsigned processor; ///< The processor that the parent runs on, or unknown_processor.
  int go;             ///< A pipe; a byte arrives when the parent may be traced.
  int ready;          ///< A pipe; the helper writes 'y' when it traces the parent, else 'n'.
  Handover handover;
  const char *path; ///< Path of the program.
};

/// Distance below the program's stack at which the front's stack begins. The room above is for
/// added variables and for the handover's texts.
inline constexpr uint64_t room_of_front = 8192;

/// Bits of the handover's register for flags.
inline constexpr uint64_t is_required_bit = 1;
inline constexpr uint64_t is_last_trial_bit = 2;
inline constexpr uint64_t helper_waits_bit = 4; ///< See forget_helper().

/// The helper's main function: holds its parent by ptrace() until the kernel has put the program
/// into it, injects the front, and lets the process go.
[[noreturn]] void help(const Job &job);

} // namespace sartor::front

#endif
