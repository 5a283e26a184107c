// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_ENTRY_SYMBOLS_H
#define SARTOR_CORE_COMPILER_ENTRY_SYMBOLS_H

#include <functional>
#include <map>
#include <string>

#include "core/space/readable_name.h"

namespace sartor::core {

/// Symbols that the code of an entry function refers to, so that the code is the same in every
/// process.
constexpr const char *kEntryTarget = "sartor.entry.target"; ///< A void **, to the active code.
constexpr const char *kEntryEnter = "sartor.entry.enter";   ///< detail::enter.
constexpr const char *kEntryLeave = "sartor.entry.leave";   ///< detail::leave.
constexpr const char *kEntryEpoch = "sartor.entry.epoch";   ///< detail::epoch.now.
/// The address is the offset of detail::reader from the thread pointer.
constexpr const char *kEntryReader = "sartor.entry.reader";

/// Name in perf and gdb: `matmul` → `matmul (entry)`.
inline std::string entry_symbol(const std::string &handler) {
  return core::readable_name(handler) + " (entry)";
}

/// The addresses of these symbols in this process, for an entry with this target.
std::map<std::string, void *, std::less<>> entry_symbols(const void *target);

} // namespace sartor::core

#endif
