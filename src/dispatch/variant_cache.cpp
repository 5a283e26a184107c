// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dispatch/variant_cache.h"

#include "dispatch/retire.h"

namespace sartor::dispatch {

VariantCache::~VariantCache() {
  while (!slots_.empty())
    drop_last();
}

VariantRef VariantCache::find(const std::string &key) {
  auto found = index_.find(key);
  if (found == index_.end())
    return nullptr;
  slots_.splice(slots_.begin(), slots_, found->second);
  return found->second->variant;
}

void VariantCache::insert(const std::string &key, VariantRef variant) {
  if (index_.contains(key))
    return;
  bytes_ += variant->code->bytes();
  slots_.push_front({key, std::move(variant)});
  index_[key] = slots_.begin();
  while (bytes_ > capacity_ && slots_.size() > 1)
    drop_last();
}

void VariantCache::drop_last() {
  Slot &last = slots_.back();
  bytes_ -= last.variant->code->bytes();
  index_.erase(last.key);
  retire(std::move(last.variant));
  slots_.pop_back();
}

} // namespace sartor::dispatch
