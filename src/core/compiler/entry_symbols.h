// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_ENTRY_SYMBOLS_H
#define SARTOR_CORE_COMPILER_ENTRY_SYMBOLS_H

#include <functional>
#include <map>
#include <string>

#include "core/space/readable_name.h"

namespace sartor::core {

/// What the code of an entry function refers to, so that it is the same in every process.
constexpr const char *kEntryTarget = "sartor.entry.target"; ///< A void **, to the code in force.
constexpr const char *kEntryEnter = "sartor.entry.enter";   ///< detail::enter.
constexpr const char *kEntryLeave = "sartor.entry.leave";   ///< detail::leave.
constexpr const char *kEntryEpoch = "sartor.entry.epoch";   ///< detail::epoch.now.
/// The address is how far from the thread pointer detail::reader is.
constexpr const char *kEntryReader = "sartor.entry.reader";

/// How perf and gdb show it: `matmul` → `matmul (entry)`.
inline std::string entry_symbol(const std::string &handler) {
  return core::readable_name(handler) + " (entry)";
}

/// These here, by name, for an entry with this target.
std::map<std::string, void *, std::less<>> entry_symbols(const void *target);

} // namespace sartor::core

#endif
