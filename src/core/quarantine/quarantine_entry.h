// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_QUARANTINE_QUARANTINE_ENTRY_H
#define SARTOR_CORE_QUARANTINE_QUARANTINE_ENTRY_H

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text/json.h"
#include "core/quarantine/quarantine_key.h"

namespace sartor::core {

enum class QuarantineReason : std::uint8_t {
  different, ///< Its results differed from those of the native code.
  crashed,   ///< A signal ended a call.
  hung,      ///< A call did not return, though one of the native code did.
  // In CompileFailures:
  compile_timeout, ///< Compiling it took too long.
  compile_memory,  ///< Compiling it took too much memory.
};

/// True for the reasons in CompileFailures.
constexpr bool is_of_compile(QuarantineReason reason) {
  return reason >= QuarantineReason::compile_timeout;
}

/// "different", ...
const char *name_of(QuarantineReason reason);

/// Why a request is quarantined.
struct QuarantineEntry {
  std::string key; ///< Hexadecimal digits.
  std::string handler;
  std::string variant;       ///< Its name, e.g. `blend{B=16}`.
  std::string configuration; ///< JSON.
  std::string build;         ///< See QuarantineKey.
  std::string processor;
  QuarantineReason reason = QuarantineReason::different;
  int signal = 0;          ///< That it crashed with; 0 if it has not.
  std::int64_t first = 0;  ///< When that was first seen, in seconds since 1970.
  std::int64_t last = 0;   ///< When it was last seen.
  unsigned processes = 1;  ///< The number of processes that have seen it.
  std::string reproducer;  ///< Path of a file that repeats it; empty if there is none.
  std::string damage = {}; ///< Why its file cannot be read; the fields but `key` are unknown then.

  bool operator==(const QuarantineEntry &) const = default;
};

/// An entry that is made now.
QuarantineEntry quarantine_entry(const QuarantineKey &key, std::string variant,
                                 QuarantineReason reason);

/// Texts are cut to a size of a few KiB.
nlohmann::ordered_json to_json(const QuarantineEntry &entry);
/// Fails with bad_json.
Result<QuarantineEntry> read_quarantine_entry(std::string_view json);

/// "crashed (SIGSEGV) in 3 processes".
std::string text_of(const QuarantineEntry &entry);

} // namespace sartor::core

#endif
