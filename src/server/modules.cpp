// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "server/modules.h"

#include <algorithm>
#include <utility>

namespace sartor::server {

std::shared_ptr<const std::string> Modules::find(std::string_view hash) {
  const auto known = std::ranges::find(entries_, hash, &Entry::hash);
  if (known == entries_.end())
    return nullptr;
  entries_.splice(entries_.begin(), entries_, known);
  return entries_.front().bytes;
}

std::shared_ptr<const std::string> Modules::insert(const std::string &hash, std::string bytes) {
  if (store::to_text(store::hash_of({bytes})) != hash)
    return nullptr;
  if (auto known = find(hash))
    return known;
  bytes_ += bytes.size();
  entries_.push_front({hash, std::make_shared<const std::string>(std::move(bytes))});
  auto inserted = entries_.front().bytes;
  while (bytes_ > most_bytes_ && entries_.size() > 1) {
    bytes_ -= entries_.back().bytes->size();
    entries_.pop_back();
  }
  return inserted;
}

} // namespace sartor::server
