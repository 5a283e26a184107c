// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/search/compile_order.h"

#include <algorithm>
#include <limits>

namespace sartor {

namespace {

/// Number of labels at which two configurations differ.
std::size_t apart(const Configuration &left, const Configuration &right) {
  const auto lacks = [](const Configuration &of, const Configuration &in) {
    return std::ranges::count_if(of, [&](const auto &one) {
      const Setting *other = in.find(one.first);
      return !other || *other != one.second;
    });
  };
  return static_cast<std::size_t>(std::max(lacks(left, right), lacks(right, left)));
}

} // namespace

std::optional<Configuration> CompileOrder::next() {
  if (!first_.empty()) {
    Configuration next = std::move(first_.front());
    first_.erase(first_.begin());
    std::erase(left_, next);
    return next;
  }
  if (left_.empty())
    return std::nullopt;
  const auto cheapest = std::ranges::min_element(
      left_, {}, [&](const Configuration &configuration) { return expected(configuration); });
  Configuration next = std::move(*cheapest);
  left_.erase(cheapest);
  return next;
}

/// Mean duration of the most similar configurations that were compiled; 0 if there is none yet.
double CompileOrder::expected(const Configuration &configuration) const {
  std::size_t nearest = std::numeric_limits<std::size_t>::max(), count = 0;
  double sum = 0;
  for (const auto &[other, seconds] : known_) {
    const std::size_t distance = apart(configuration, other);
    if (distance > nearest)
      continue;
    if (distance < nearest)
      sum = 0, count = 0;
    nearest = distance;
    sum += seconds;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

} // namespace sartor
