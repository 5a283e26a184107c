// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dispatch/variant_cache.h"

#include "dispatch/retire.h"

namespace sartor::dispatch {

VariantCache::~VariantCache() {
  while (!slots_.empty())
    drop(std::prev(slots_.end()));
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
  bytes_ += variant->code->resident_bytes();
  slots_.push_front({key, std::move(variant)});
  index_[key] = slots_.begin();
  while (bytes_ > capacity_ && slots_.size() > 1)
    drop(std::prev(slots_.end()));
}

void VariantCache::drop_if(const std::function<bool(const Variant &)> &unwanted) {
  for (auto slot = slots_.begin(); slot != slots_.end();) {
    const auto here = slot++;
    if (unwanted(*here->variant))
      drop(here);
  }
}

void VariantCache::drop(std::list<Slot>::iterator slot) {
  bytes_ -= slot->variant->code->resident_bytes();
  index_.erase(slot->key);
  retire(std::move(slot->variant));
  slots_.erase(slot);
}

} // namespace sartor::dispatch
