// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/watch/signature.h"

#include <algorithm>

namespace sartor {

namespace {

/// Times that a point must have been passed for its shares to be known to some per cent.
constexpr double enough = 200;

/// The largest distance of the points that both, or surely only one, have seen.
double one_way(const Shape &from, const Shape &to) {
  double largest = 0;
  for (const auto &[label, point] : from.points()) {
    if (point.count < enough)
      continue;
    const auto other = to.points().find(label);
    if (other == to.points().end())
      return 1;
    if (other->second.count >= enough)
      largest = std::max(largest, distance(point, other->second));
  }
  return largest;
}

} // namespace

bool Signature::is_known() const {
  return !name.empty() || std::ranges::any_of(shape.points(), [](const auto &point) {
    return point.second.count >= enough;
  });
}

double distance(const Signature &left, const Signature &right) {
  if (left.name != right.name)
    return 1;
  if (!left.name.empty() && (left.shape.empty() || right.shape.empty())) // nothing seen as yet
    return 0;
  return std::max(one_way(left.shape, right.shape), one_way(right.shape, left.shape));
}

} // namespace sartor
