// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/change_detection/novelty.h"

#include <algorithm>
#include <limits>

#include "tuner/limits.h"

namespace sartor {

namespace {

/// Share of inputs in a look that make up less than a hundredth of all inputs seen before.
double new_share(const Shape::Point &look, const Shape::Point &seen) {
  double sum = 0;
  for (const auto &[inputs, share] : look.shares) {
    const auto known = seen.shares.find(inputs);
    if (known == seen.shares.end() || known->second < limits::rare)
      sum += share;
  }
  return sum;
}

} // namespace

bool Novelty::found(const Shape &look) {
  constexpr double all = std::numeric_limits<double>::max();
  share_ = 0;
  bool is_change = false;
  few_.blend(look, all);
  Shape known; // without new inputs
  for (auto it = few_.points().begin(); it != few_.points().end();) {
    if (it->second.count < limits::enough_sightings * limits::unknown_spread) {
      ++it;
      continue;
    }
    auto node = few_.points().extract(it++);
    const auto before = seen_.points().find(node.key());
    if (before == seen_.points().end())
      continue;
    AtPoint &point = points_[node.key()];
    const double share = new_share(node.mapped(), before->second);
    bool is_new = false;
    if (point.calm >= limits::calm_looks) {
      share_ = std::max(share_, share);
      is_new = share >= limits::wholly_unlike;
    } else {
      point.calm = share < limits::wholly_unlike / 2 ? point.calm + 1 : 0;
    }
    point.is_new.add(is_new ? 1 : ChangeTest::unchanged);
    is_change |= point.is_new.has_changed();
    if (!is_new)
      known.points().insert(std::move(node));
  }
  seen_.blend(known, all); // all looks so far, however old
  return is_change;
}

} // namespace sartor
