// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/quarantine/shared_quarantine.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "base/hash.h"

namespace sartor::core {

namespace {

constexpr const char *kTier = "quarantine";

/// The key of the entry in the cache: never that of code, so that one cannot be stored as the
/// other.
base::ContentKey key_of_entry(const std::string &key) {
  return base::hash_of({"shared quarantine 1", key});
}

std::optional<QuarantineEntry> find_entry(SharedCache &cache, const base::ContentKey &key) {
  const std::string text = base::to_text(key);
  const auto stored = cache.find(key_of_entry(text));
  if (!stored)
    return std::nullopt;
  auto entry = read_quarantine_entry(*stored);
  if (!entry || entry->key != text)
    return std::nullopt;
  return std::move(*entry);
}

} // namespace

std::optional<QuarantineEntry> find_shared(SharedCache &cache, const QuarantineKey &key) {
  auto entry = find_entry(cache, key.hash);
  return entry || key.family == key.hash ? std::move(entry) : find_entry(cache, key.family);
}

void share(SharedCache &cache, const QuarantineEntry &entry) {
  StoredInfo info;
  info.variant = entry.variant;
  info.handler = entry.handler;
  info.tier = kTier;
  info.made = entry.last;
  QuarantineEntry plain = entry;
  plain.reproducer.clear(); // a path of this machine
  cache.insert(key_of_entry(entry.key), info, dump(to_json(plain)));
}

std::optional<std::vector<QuarantineEntry>> list_shared(SharedCache &cache) {
  const auto images = cache.images_of(kTier);
  if (!images)
    return std::nullopt;
  std::vector<QuarantineEntry> entries;
  for (const std::string &image : *images)
    if (auto entry = read_quarantine_entry(image))
      entries.push_back(std::move(*entry));
  std::ranges::sort(entries, std::ranges::greater(),
                    [](const QuarantineEntry &entry) { return std::pair(entry.last, entry.key); });
  return entries;
}

bool remove_shared(SharedCache &cache, const std::string &key) {
  return cache.erase(key_of_entry(key));
}

Failure shared_refusal(const QuarantineEntry &entry, const std::string &variant) {
  return {ErrorCode::quarantined, variant,
          "is quarantined in the shared cache (" + text_of(entry) + ")",
          "use another configuration, or update Sartor; sartor quarantine remove " +
              entry.key.substr(0, 12) + " --redis ADDRESS allows it again"};
}

} // namespace sartor::core
