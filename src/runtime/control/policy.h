// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CONTROL_POLICY_H
#define SARTOR_RUNTIME_CONTROL_POLICY_H

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace sartor {

/// One rule of a policy file: handlers that are off from a program's start. All fields that are not
/// empty must match.
struct OffRule {
  std::string build_id; ///< Of the program, or of the library that contains the handlers.
  std::string name;     ///< A handler or a label; empty: all handlers.

  auto operator<=>(const OffRule &) const = default;
};

/// The rules of a policy file: `{"off":[{"build_id":"5f2a…"},{"name":"matmul"},{}]}`.
struct Policy {
  std::vector<OffRule> off;

  /// Reads a file. One that does not exist is a policy without rules. Fails with file_error if it
  /// cannot be read, or if others can write to it, and with bad_json.
  static Result<Policy> read(const std::filesystem::path &path);
  /// Replaces the file at once; creates its directory. Fails with file_error.
  [[nodiscard]] Result<void> write(const std::filesystem::path &path) const;
};

/// This user's file: that of SARTOR_POLICY, or $XDG_CONFIG_HOME/sartor/policy.json, with
/// ~/.config without that variable. Empty for a program that runs with raised rights.
std::filesystem::path users_policy();
/// The file of the machine: /etc/sartor/policy.json.
std::filesystem::path machines_policy();

/// The names that the two files switch off in this program, whose parts have the build ids for
/// which `is_own` is true. A file that cannot be used switches everything off: `problems` has the
/// reason.
std::set<std::string> names_off(const std::function<bool(const std::string &build_id)> &is_own,
                                std::vector<Failure> &problems);

} // namespace sartor

#endif
