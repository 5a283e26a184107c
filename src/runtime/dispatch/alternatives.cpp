// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dispatch/alternatives.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace sartor::runtime {

void Alternatives::add(const VariantRef &variant) {
  const auto rank = [](const VariantRef &each) {
    return std::pair(each->code->invariants.size(), !each->quick);
  };
  const auto at = std::ranges::upper_bound(ranked_, rank(variant), std::ranges::greater(),
                                           [&](const Ranked &each) { return rank(each.variant); });
  ranked_.insert(at, {0, variant->code->invariants.size(), variant});
  lay_out();
}

void Alternatives::remove(const Variant &variant) {
  std::erase_if(ranked_, [&](const Ranked &each) { return each.variant.get() == &variant; });
  lay_out();
}

void Alternatives::lay_out() {
  invariants_.clear();
  for (Ranked &each : ranked_) {
    each.begin = invariants_.size();
    const auto &invariants = each.variant->code->invariants;
    invariants_.insert(invariants_.end(), invariants.begin(), invariants.end());
  }
}

} // namespace sartor::runtime
