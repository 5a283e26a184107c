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
  share_ = 0;
  for (const auto &[label, point] : look.points()) {
    const auto before = seen_.points().find(label);
    constexpr double enough = limits::enough_sightings * limits::unknown_spread;
    if (before == seen_.points().end() || point.count < enough)
      continue;
    const double share = new_share(point, before->second);
    int &calm = calm_[label];
    if (calm >= limits::calm_looks)
      share_ = std::max(share_, share);
    else
      calm = share < limits::wholly_unlike / 2 ? calm + 1 : 0;
  }
  const bool is_new = share_ >= limits::wholly_unlike;
  if (is_new && was_new_)
    return true;
  was_new_ = is_new;
  if (!is_new) // all looks so far, however old
    seen_.blend(look, std::numeric_limits<double>::max());
  return false;
}

} // namespace sartor
