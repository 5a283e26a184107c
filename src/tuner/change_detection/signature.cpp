// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/change_detection/signature.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "tuner/limits.h"

namespace sartor {

namespace {

bool has_enough(const Shape::Point &point) { return point.count >= limits::enough_sightings; }

/// True if a point that has seen enough here was never passed there.
bool lacks_one_of(const Shape &there, const Shape &here) {
  return std::ranges::any_of(here.points(), [&](const auto &point) {
    return has_enough(point.second) && !there.points().contains(point.first);
  });
}

} // namespace

bool Signature::is_known() const {
  return !name.empty() || std::ranges::any_of(shape.points(), [](const auto &point) {
    return has_enough(point.second);
  });
}

std::optional<double> distance(const Signature &left, const Signature &right) {
  if (left.name != right.name)
    return std::nullopt;
  if (!left.name.empty() && (left.shape.empty() || right.shape.empty())) // no shape known yet
    return 0;
  if (lacks_one_of(left.shape, right.shape) || lacks_one_of(right.shape, left.shape))
    return std::nullopt;
  double largest = 0, compared = 0, least_chance = 1;
  for (const auto &[label, point] : left.shape.points()) {
    const auto it = right.shape.points().find(label);
    if (it == right.shape.points().end() || !has_enough(point) || !has_enough(it->second))
      continue;
    ++compared;
    const Comparison found = compare(point, it->second, true);
    const double sightings = point.count * it->second.count / (point.count + it->second.count);
    largest = std::max(largest, found.distance);
    if (found.distance >= limits::another_workload)
      least_chance =
          std::min(least_chance, chance_of(found.misfit * sightings / found.freedom, found.freedom,
                                           std::numeric_limits<double>::infinity()));
  }
  if (compared == 0) // nothing has been seen often enough to tell them apart
    return left.name.empty() ? std::nullopt : std::optional(0.0);
  if (least_chance * compared < limits::surely_another)
    return std::nullopt;
  return largest;
}

} // namespace sartor
