// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/quarantine/shared_quarantine.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/hash.h"

namespace sartor::core {

namespace {

/// The key of the entry in the cache: never that of code, so that one cannot be stored as the
/// other.
base::ContentKey key_of_entry(const std::string &key) {
  return base::hash_of({"shared quarantine 1", key});
}

} // namespace

std::optional<QuarantineEntry> find_shared(SharedCache &cache, const base::ContentKey &key) {
  const std::string text = base::to_text(key);
  const auto stored = cache.find(key_of_entry(text));
  if (!stored)
    return std::nullopt;
  auto entry = read_quarantine_entry(*stored);
  if (!entry || entry->key != text)
    return std::nullopt;
  return std::move(*entry);
}

void share(SharedCache &cache, const QuarantineEntry &entry) {
  StoredInfo info;
  info.variant = entry.variant;
  info.handler = entry.handler;
  info.tier = "quarantine";
  info.made = entry.last;
  QuarantineEntry plain = entry;
  plain.reproducer.clear(); // a path of this machine
  cache.insert(key_of_entry(entry.key), info, dump(to_json(plain)));
}

Failure shared_refusal(const QuarantineEntry &entry, const std::string &variant) {
  return {ErrorCode::quarantined, variant,
          "is quarantined in the shared cache (" + text_of(entry) + ")",
          "use another configuration, or update Sartor; emptying the shared cache allows it again"};
}

} // namespace sartor::core
