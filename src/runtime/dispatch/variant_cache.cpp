// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/variant_cache.h"

#include <algorithm>

#include "runtime/dispatch/retire.h"

namespace sartor::runtime {

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

void VariantCache::insert(const std::string &key, const std::string &kind, VariantRef variant,
                          std::vector<std::uint64_t> invariants) {
  if (index_.contains(key))
    return;
  bytes_ += variant->code->resident_bytes();
  slots_.push_front({key, kind, std::move(variant), std::move(invariants)});
  index_[key] = slots_.begin();
  by_kind_[kind].add(slots_.front().variant);
  for (const std::uint64_t invariant : slots_.front().invariants)
    by_invariant_[{invariant, &slots_.front()}] = slots_.begin();
  while (bytes_ > capacity_ && slots_.size() > 1)
    drop(std::prev(slots_.end()));
}

const Alternatives *VariantCache::of_kind(const std::string &kind) const {
  auto found = by_kind_.find(kind);
  return found == by_kind_.end() ? nullptr : &found->second;
}

void VariantCache::for_each(const std::function<void(const Variant &)> &visit) const {
  for (const Slot &slot : slots_)
    visit(*slot.variant);
}

void VariantCache::drop_if(const std::function<bool(const Variant &)> &unwanted) {
  for (auto slot = slots_.begin(); slot != slots_.end();) {
    const auto here = slot++;
    if (unwanted(*here->variant))
      drop(here);
  }
}

void VariantCache::drop_invariant(std::uint64_t invariant) {
  for (auto at = by_invariant_.lower_bound({invariant, nullptr});
       at != by_invariant_.end() && at->first.first == invariant;
       at = by_invariant_.lower_bound({invariant, nullptr}))
    drop(at->second);
}

void VariantCache::drop(std::list<Slot>::iterator slot) {
  bytes_ -= slot->variant->code->resident_bytes();
  for (const std::uint64_t invariant : slot->invariants)
    by_invariant_.erase({invariant, &*slot});
  index_.erase(slot->key);
  auto alike = by_kind_.find(slot->kind);
  alike->second.remove(*slot->variant);
  if (alike->second.empty())
    by_kind_.erase(alike);
  retire(std::move(slot->variant));
  slots_.erase(slot);
}

} // namespace sartor::runtime
