// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/search/coordinate_rules.h"

#include <algorithm>
#include <utility>

namespace sartor::detail {

CoordinateRules::CoordinateRules(std::shared_ptr<const Rules> rules, Dimensions dimensions)
    : rules_(std::move(rules)), settled_by_(dimensions.size()) {
  for (const auto &rule : rules_->rules()) {
    Placed placed{rule.get(), {}};
    for (const std::string &label : rule->labels()) {
      const auto at = std::ranges::find(dimensions, label, &Dimension::label);
      placed.dimensions.push_back(static_cast<std::size_t>(at - dimensions.begin()));
    }
    settled_by_[std::ranges::max(placed.dimensions)].push_back(std::move(placed));
  }
}

bool CoordinateRules::allow(const Coordinates &coordinates, Dimensions dimensions,
                            std::size_t dimension) const {
  std::vector<const Setting *> settings;
  return std::ranges::all_of(settled_by_[dimension], [&](const Placed &placed) {
    settings.clear();
    for (const std::size_t i : placed.dimensions)
      settings.push_back(coordinates[i] == 0 ? nullptr
                                             : &dimensions[i].settings[coordinates[i] - 1]);
    return placed.rule->holds(settings);
  });
}

bool CoordinateRules::allow(const Coordinates &coordinates, Dimensions dimensions) const {
  for (std::size_t i = 0; i < dimensions.size(); ++i)
    if (!allow(coordinates, dimensions, i))
      return false;
  return true;
}

bool walk(std::span<const Dimension> dimensions, const CoordinateRules *rules,
          std::size_t most_steps,
          const std::function<std::vector<std::uint32_t>(std::size_t)> &order,
          const std::function<bool(const SearchSpace::Coordinates &)> &found) {
  SearchSpace::Coordinates coordinates(dimensions.size());
  // Settings that are left to try, the next one last, for each dimension that is being chosen.
  std::vector<std::vector<std::uint32_t>> left;
  const auto open = [&] {
    left.push_back(order(left.size()));
    std::ranges::reverse(left.back());
  };
  if (dimensions.empty())
    return found(coordinates);
  open();
  for (std::size_t steps = 0; !left.empty();) {
    const std::size_t dimension = left.size() - 1;
    if (left.back().empty()) {
      left.pop_back();
      continue;
    }
    if (++steps > most_steps)
      return false;
    coordinates[dimension] = left.back().back();
    left.back().pop_back();
    if (rules && !rules->allow(coordinates, dimensions, dimension))
      continue;
    if (left.size() < dimensions.size())
      open();
    else if (!found(coordinates))
      return false;
  }
  return true;
}

} // namespace sartor::detail
