// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_DOCTOR_CHECK_H
#define SARTOR_TOOLS_CLI_DOCTOR_CHECK_H

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "tools/cli/installation.h"

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

constexpr std::uint64_t kMebibyte = 1U << 20U;

bool has_error(const Checks &checks);

/// A table, and a line with the number of errors and warnings.
std::string text_of(const Checks &checks);
/// `[{"state": "ok", "subject": …, "found": …, "remedy": …}, …]`
std::string json_of(const Checks &checks);

/// Checks the limits of a cgroup (version 2) and of those above it, up to `root`. A file that is
/// missing sets no limit.
Checks checks_of_cgroup(const std::filesystem::path &group, const std::filesystem::path &root);

/// Checks the parts of Sartor, clang, and the environment, and builds and runs a program of which a
/// handler is specialized.
Checks checks_of_installation(const Installation &here);

/// Checks what the kernel and its policies allow this process, and the limits of its cgroup.
Checks checks_of_machine();

} // namespace sartor::cli

#endif
