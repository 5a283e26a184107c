// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_QUARANTINE_SHARED_QUARANTINE_H
#define SARTOR_CORE_QUARANTINE_SHARED_QUARANTINE_H

#include <optional>
#include <string>
#include <vector>

#include "core/cache/shared_cache.h"
#include "core/quarantine/quarantine_entry.h"

namespace sartor::core {

// Quarantine entries in a shared cache, next to the code: authenticated with the same key, part of
// the same limit, and written by those who may store code.

/// The entry for a request or its family. Nothing if none was signed with our key, or the store
/// cannot be reached.
std::optional<QuarantineEntry> find_shared(SharedCache &cache, const QuarantineKey &key);
void share(SharedCache &cache, const QuarantineEntry &entry);
/// All entries that were signed with our key, the newest first. Nothing if the store cannot be
/// searched.
std::optional<std::vector<QuarantineEntry>> list_shared(SharedCache &cache);
/// Removes the entry of a key. False if there is none, or the store cannot be reached.
bool remove_shared(SharedCache &cache, const std::string &key);

/// The error for a request with such an entry.
Failure shared_refusal(const QuarantineEntry &entry, const std::string &variant);

} // namespace sartor::core

#endif
