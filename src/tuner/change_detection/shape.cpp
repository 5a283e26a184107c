// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/change_detection/shape.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tuner/limits.h"

namespace sartor {

Shape Shape::between(const Profile &before, const Profile &now) {
  Shape shape;
  for (const auto &[label, seen] : now.points()) {
    const PointProfile *earlier = before.find(label);
    std::map<std::vector<Value>, double> known;
    if (earlier)
      for (const ProfileEntry &entry : earlier->entries)
        known.emplace(entry.inputs, static_cast<double>(entry.count));
    const double count =
        static_cast<double>(seen.count) - (earlier ? static_cast<double>(earlier->count) : 0);
    if (count <= 0) // nothing, or the profile was cleared meanwhile
      continue;
    Point point{count, {}};
    for (const ProfileEntry &entry : seen.entries) {
      const auto it = known.find(entry.inputs);
      const double more = static_cast<double>(entry.count) - (it == known.end() ? 0 : it->second);
      if (more > 0)
        point.shares.emplace(entry.inputs, more / count);
    }
    shape.points_.emplace(label, std::move(point));
  }
  return shape;
}

void Shape::blend(const Shape &other, double memory) {
  for (const auto &[label, theirs] : other.points_) {
    const auto [it, first] = points_.try_emplace(label, theirs);
    if (first)
      continue;
    Point &ours = it->second;
    const double kept = std::min(ours.count, memory);
    const double weight = theirs.count / (kept + theirs.count);
    for (auto &[inputs, share] : ours.shares)
      share *= 1 - weight;
    for (const auto &[inputs, share] : theirs.shares)
      ours.shares[inputs] += weight * share;
    std::erase_if(ours.shares, [](const auto &entry) { return entry.second < limits::rare / 100; });
    ours.count = kept + theirs.count;
  }
}

Comparison compare(const Shape::Point &left, const Shape::Point &right, bool pooled) {
  Comparison result;
  double left_rest = 1, right_rest = 1;
  const auto take = [&](double in_left, double in_right) {
    const double apart = in_left - in_right;
    const double expected =
        pooled ? (left.count * in_left + right.count * in_right) / (left.count + right.count)
               : in_left;
    result.distance += std::fabs(apart) / 2;
    result.misfit += apart * apart / std::max(expected, limits::rare);
    ++result.freedom;
    left_rest -= in_left;
    right_rest -= in_right;
  };
  const auto in_right = [&](const std::vector<Value> &inputs) {
    const auto it = right.shares.find(inputs);
    return it == right.shares.end() ? 0 : it->second;
  };
  for (const auto &[inputs, share] : left.shares)
    if (const double other = in_right(inputs); share >= limits::rare || other >= limits::rare)
      take(share, other);
  for (const auto &[inputs, share] : right.shares)
    if (share >= limits::rare && !left.shares.contains(inputs))
      take(0, share);
  if (left_rest >= limits::rare || right_rest >= limits::rare)
    take(std::max(left_rest, 0.0), std::max(right_rest, 0.0));
  result.freedom = std::max(result.freedom - 1, 1.0);
  return result;
}

/// Uses a cube root that is nearly normal: E. Paulson, "An Approximate Normalization of the
/// Analysis of Variance Distribution", Annals of Mathematical Statistics 13, 1942.
double chance_of(double ratio, double freedom, double known_freedom) {
  if (!(ratio > 0))
    return 1;
  const double own = 2 / (9 * freedom), known = 2 / (9 * known_freedom);
  const double root = std::cbrt(ratio);
  const double normal = ((1 - known) * root - (1 - own)) / std::sqrt(known * root * root + own);
  return std::max(std::erfc(normal / std::numbers::sqrt2) / 2, std::numeric_limits<double>::min());
}

} // namespace sartor
