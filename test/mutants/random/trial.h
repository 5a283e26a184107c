// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_MUTANTS_RANDOM_TRIAL_H
#define SARTOR_TEST_MUTANTS_RANDOM_TRIAL_H

#include <array>
#include <string>

#include "mutants/random/random_handlers.h"

/// Arguments of a call.
struct Input {
  long a;
  long b;
};

/// A place of a mutant in a handler that changes results. Without pointers, for shared memory.
struct Place {
  unsigned number = 0;
  unsigned showing = 0; ///< Inputs for which the result differs.
  unsigned others = 0;  ///< Inputs for which it does not.
  std::array<Input, 16> showing_inputs{};
  std::array<Input, 64> other_inputs{};
};

/// Calls of a mutant whose runtime compares it with the native code.
struct Compared {
  unsigned calls = 0;        ///< Of inputs for which the result differs.
  unsigned detected_at = 0;  ///< The number of that call; 0: not detected.
  unsigned wrong_before = 0; ///< Results, until that call.
  unsigned wrong_after = 0;
  unsigned missed = 0; ///< Calls that were compared without a difference.
  bool has_ended = false;
};

enum class Begin {
  at_once,           ///< With the inputs for which the result differs.
  late,              ///< After the comparison of first calls, which have other inputs.
  late_large_budget, ///< The same, with a hundredth of the time for later comparisons.
};

/// The number of calls until which a mutant has to be detected, once calls are compared.
inline constexpr unsigned kMostCalls = 1000;

/// Finds the first place of a kind of mutant in a handler that changes a result, crashes or hangs.
/// Not thread-safe, like compare(); all calls are made in child processes.
Place find_place(const std::string &kind, const RandomHandler &handler);

Compared compare(const std::string &kind, const Place &place, const RandomHandler &handler,
                 Begin begin);

#endif
