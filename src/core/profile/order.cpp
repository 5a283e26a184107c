// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/profile/order.h"

#include <algorithm>
#include <compare>

namespace sartor {

bool before(const std::vector<Value> &a, const std::vector<Value> &b) {
  return std::ranges::lexicographical_compare(a, b, [](const Value &left, const Value &right) {
    if (left.is_floating() && right.is_floating())
      return std::is_lt(std::strong_order(left.floating(), right.floating()));
    return left < right;
  });
}

void most_frequent_first(std::vector<ProfileEntry> &entries) {
  std::ranges::sort(entries, [](const ProfileEntry &a, const ProfileEntry &b) {
    return a.count != b.count ? a.count > b.count : before(a.inputs, b.inputs);
  });
}

} // namespace sartor
