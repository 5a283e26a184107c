// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/search/families.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

namespace sartor {

namespace {

bool is_digit(char character) { return std::isdigit(static_cast<unsigned char>(character)) != 0; }

/// The label with a # for each number in it.
std::string stem_of(const std::string &label) {
  std::string stem;
  for (std::size_t i = 0; i < label.size(); ++i)
    if (!is_digit(label[i]))
      stem += label[i];
    else if (i == 0 || !is_digit(label[i - 1]))
      stem += '#';
  return stem;
}

/// The numbers in a label, each as its length and digits, which compare as the numbers do.
std::vector<std::pair<std::size_t, std::string>> numbers_in(const std::string &label) {
  std::vector<std::pair<std::size_t, std::string>> numbers;
  for (std::size_t i = 0; i < label.size();) {
    std::size_t end = i;
    while (end < label.size() && is_digit(label[end]))
      ++end;
    if (end > i) {
      const std::size_t first = std::min(label.find_first_not_of('0', i), end);
      numbers.emplace_back(end - first, label.substr(first, end - first));
    }
    i = end + 1;
  }
  return numbers;
}

} // namespace

std::vector<Family> families_of(const SearchSpace &space) {
  const auto &dimensions = space.dimensions();
  std::vector<Family> families;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const auto is_kin = [&](const Family &family) {
      const Dimension &other = dimensions[family.front()];
      return other.settings == dimensions[i].settings &&
             other.is_ordered == dimensions[i].is_ordered &&
             stem_of(other.label) == stem_of(dimensions[i].label);
    };
    if (const auto family = std::ranges::find_if(families, is_kin); family != families.end())
      family->push_back(i);
    else
      families.push_back({i});
  }
  for (Family &family : families)
    std::ranges::sort(family, {}, [&](std::size_t member) {
      return std::pair(numbers_in(dimensions[member].label), member);
    });
  return families;
}

SearchSpace::Place nearest_allowed(const SearchSpace &space, const SearchSpace::Place &wanted,
                                   std::span<const std::size_t> first) {
  if (space.allows(wanted))
    return wanted;
  std::vector<std::size_t> order(first.begin(), first.end());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (std::ranges::find(first, i) == first.end())
      order.push_back(i);
  SearchSpace::Place place(wanted.size());
  // Twice: what a dimension depends on may be set after it.
  for (int round = 0; round < 2; ++round)
    for (const std::size_t i : order) {
      const Dimension &dimension = space.dimensions()[i];
      std::vector<std::uint32_t> settings{wanted[i]};
      if (dimension.is_ordered && wanted[i] > 0) {
        settings.resize(dimension.settings.size());
        std::iota(settings.begin(), settings.end(), 1U);
        std::ranges::sort(settings, {}, [&](std::uint32_t setting) {
          return std::pair(std::abs(std::int64_t{setting} - std::int64_t{wanted[i]}), setting);
        });
      }
      for (const std::uint32_t setting : settings) {
        if (setting == place[i])
          break;
        auto changed = place;
        changed[i] = setting;
        if (!space.allows(changed))
          continue;
        place = std::move(changed);
        break;
      }
    }
  return place;
}

} // namespace sartor
