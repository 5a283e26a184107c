// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/binding_table.h"

#include <algorithm>
#include <utility>

namespace sartor {

detail::BoundEntry *BindingTable::share(const std::string &key) {
  const auto known = entries_.find(key);
  if (known == entries_.end())
    return nullptr;
  ++known->second->shares;
  return known->second.get();
}

detail::BoundEntry &BindingTable::add(std::string key, std::unique_ptr<detail::BoundEntry> entry) {
  detail::BoundEntry &added = *entry;
  added.key = key;
  added.shares = 1;
  count(added, 1);
  entries_.emplace(std::move(key), std::move(entry));
  return added;
}

void BindingTable::release(detail::BoundEntry &entry) {
  if (--entry.shares != 0)
    return;
  count(entry, -1);
  entries_.erase(std::string(entry.key));
}

void BindingTable::count(const detail::BoundEntry &entry, int difference) {
  if (!entry.arguments.empty())
    limits_[entry.handler()].contexts += static_cast<std::size_t>(difference);
}

std::vector<detail::BoundEntry *> BindingTable::all() const {
  std::vector<detail::BoundEntry *> entries;
  for (const auto &[key, entry] : entries_)
    entries.push_back(entry.get());
  return entries;
}

void BindingTable::rename_all() {
  for (auto &[handler, limit] : limits_)
    limit.contexts = 0;
  for (auto &[key, entry] : std::exchange(entries_, {})) {
    count(*entry, 1);
    std::string renamed = entry->key;
    entries_.emplace(std::move(renamed), std::move(entry));
  }
}

void BindingTable::limit(const std::string &handler, std::size_t most,
                         std::vector<unsigned> least_selective_first) {
  Limit &limit = limits_[handler];
  limit.most = most;
  limit.least_selective_first = std::move(least_selective_first);
}

bool BindingTable::has_room(const std::string &handler) {
  const Limit &limit = limits_[handler];
  return limit.contexts < limit.most;
}

unsigned BindingTable::least_selective(const std::string &handler,
                                       const std::map<unsigned, BoundArgument> &arguments) {
  const std::vector<unsigned> &named = limits_[handler].least_selective_first;
  for (auto argument = arguments.rbegin(); argument != arguments.rend(); ++argument)
    if (std::ranges::find(named, argument->first) == named.end())
      return argument->first;
  return *std::ranges::find_if(named, [&](unsigned index) { return arguments.contains(index); });
}

} // namespace sartor
