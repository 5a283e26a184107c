// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_COMPARABILITY_H
#define SARTOR_CORE_COMPILER_COMPARABILITY_H

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <sartor/error.hpp>

namespace sartor::core {

/// The way in which calls of a handler's variant can be compared with calls of the native code.
enum class Comparison : std::uint8_t {
  pure,     ///< Both run; a call has no effect but its result.
  writes,   ///< Both run; the variant writes to copies of the memory that the call may change.
  isolated, ///< Both run in child processes.
  none,     ///< Not at all.
  kLast = none,
};

struct Comparability {
  Comparison how = Comparison::none;
  std::string reason = {}; ///< The reason why it is not pure, for people.
  /// The place in the source of that reason. Empty if it is not known.
  std::string file = {};
  unsigned line = 0;
  /// Child processes are not used: the native code has a sanitizer's checks, whose run-time library
  /// has memory and threads that a child process would share or miss.
  bool never_in_child = false;
  /// The code for comparing could not be made: `how` is none, and this is the failure.
  std::optional<ErrorCode> error = {};
};

/// The name in JSON and in labels of metrics: `pure`.
const char *name_of(Comparison how);
/// For people: `in a child process, because it calls getenv() at server.c:41`.
std::string text_of(const Comparability &comparability);
/// An object with `how`, `text`, and, if they are known, `reason`, `file`, `line` and `error`.
nlohmann::ordered_json to_json(const Comparability &comparability);

} // namespace sartor::core

#endif
