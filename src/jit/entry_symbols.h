// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_ENTRY_SYMBOLS_H
#define SARTOR_JIT_ENTRY_SYMBOLS_H

#include <functional>
#include <map>
#include <string>

namespace sartor::jit {

/// What the code of an entry function refers to, so that it is the same in every process.
constexpr const char *kEntryTarget = "sartor.entry.target"; ///< A void **, to the code in force.
constexpr const char *kEntryEnter = "sartor.entry.enter";   ///< detail::enter.
constexpr const char *kEntryLeave = "sartor.entry.leave";   ///< detail::leave.
constexpr const char *kEntryEpoch = "sartor.entry.epoch";   ///< detail::epoch.now.
/// The address is how far from the thread pointer detail::reader is.
constexpr const char *kEntryReader = "sartor.entry.reader";

/// These here, by name, for an entry with this target.
std::map<std::string, void *, std::less<>> entry_symbols(const void *target);

} // namespace sartor::jit

#endif
