// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_CRASH_MARKER_H
#define SARTOR_RUNTIME_VERIFY_CRASH_MARKER_H

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

#include "core/quarantine/quarantine_key.h"
#include "runtime/verify/covered_code.h"

namespace sartor::runtime {

/// Records which variant a process crashed in. When an instruction of a variant causes SIGSEGV,
/// SIGBUS, SIGFPE, SIGILL or SIGTRAP, a signal handler writes a file, a marker, to the quarantine
/// of a state directory. Then the program's handler runs, or the signal has its usual effect. The
/// next Quarantine::take_crashes() turns the marker into an entry. The native code may have crashed
/// as well: that is not known.
///
/// No marker is written if the signal is blocked, if the program has replaced the handler since the
/// last cover(), or if a thread has no stack left. Thread-safe.
class CrashMarker {
public:
  /// Installs the handlers. `state` is the state directory, which need not exist. Nothing if it is
  /// empty, or if the program runs with raised rights.
  static std::optional<CrashMarker> install(const std::filesystem::path &state);

  /// Code of a variant, from now on. Puts the handlers in front of those that the program has
  /// installed since. `key` and `name` end up in the entry.
  void cover(const void *begin, std::size_t bytes, const core::QuarantineKey &key,
             std::string_view name) const;
  /// The code is about to be released; no thread runs it. Does nothing if it is not covered.
  static void uncover(const void *begin);

private:
  explicit CrashMarker(const MarkerFolder &folder) : folder_(&folder) {}

  const MarkerFolder *folder_; ///< Exists as long as the process.
};

} // namespace sartor::runtime

#endif
