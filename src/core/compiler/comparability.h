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

/// Why calls are not compared.
enum class NotCompared : std::uint8_t {
  no_checking_code, ///< The code for comparing could not be made.
  // Constructs in the handler or in functions that it calls, because of which a call is not to be
  // repeated, or its effects cannot be judged.
  unordered, ///< The handler is marked SARTOR_UNORDERED.
  options,   ///< The native code has hooks, counters or checks of compiler options.
  sanitizer, ///< The same, of a sanitizer; calls would have to run in a child process.
  variable_arguments,
  volatile_memory,
  atomics,
  inline_assembly,
  setjmp,
  allocator, ///< An allocator of the program.
  blocking,
  padding, ///< Of the structure that the handler returns.
  inexact, ///< The last bits of floating-point numbers.
  // Found when calls were compared.
  undetermined, ///< The native code gives different results for the same input.
  isolation,    ///< Calls do what a child process cannot repeat, or there can be no child process.
  // Variants.
  instrumented, ///< It counts events.
  unguarded,    ///< A setting is not guarded.
  fast_path,    ///< It leaves out calls that would have effects in a child process.
  // Some calls.
  input,          ///< The memory that the call changes cannot be copied.
  floating_point, ///< Another floating-point environment than the default.
  debugger,       ///< The process is being debugged.
  kLast = debugger,
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
  NotCompared code = NotCompared::no_checking_code; ///< If `how` is none.
  /// The failure if `code` is no_checking_code.
  std::optional<ErrorCode> error = {};
};

/// The name in JSON and in labels of metrics: `pure`.
const char *name_of(Comparison how);
/// The name in JSON: `volatile_memory`.
const char *name_of(NotCompared code);
/// The remedy, for people.
const char *remedy_of(NotCompared code);
/// For people: `in a child process, because it calls getenv() at server.c:41`.
std::string text_of(const Comparability &comparability);
/// An object with `how`, `text`, and, if they are known, `reason`, `code`, `file`, `line` and
/// `error`.
nlohmann::ordered_json to_json(const Comparability &comparability);

} // namespace sartor::core

#endif
