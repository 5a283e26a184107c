// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_DOCTOR_CHECK_H
#define SARTOR_TOOLS_CLI_DOCTOR_CHECK_H

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace sartor::cli {

/// The outcome of one check.
struct Check {
  enum class State : std::uint8_t {
    ok,
    note,    ///< An optional feature is missing or restricted.
    warning, ///< Part of the program is not specialized, or Sartor is slower than it could be.
    error,   ///< Nothing is specialized, or a program cannot be built or started.
  };
  State state = State::ok;
  std::string subject; ///< What was checked.
  std::string found;
  std::string remedy = {}; ///< What to do; empty if nothing is to be done.

  static Check of(State state, std::string subject, const Failure &failure) {
    return {state, std::move(subject), failure.subject + ": " + failure.message, failure.remedy};
  }
};

using Checks = std::vector<Check>;

bool has_error(const Checks &checks);

/// A table, and a line with the number of errors and warnings.
std::string text_of(const Checks &checks);
/// `[{"state": "ok", "subject": …, "found": …, "remedy": …}, …]`
std::string json_of(const Checks &checks);

} // namespace sartor::cli

#endif
