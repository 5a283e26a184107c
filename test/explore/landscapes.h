// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_EXPLORE_LANDSCAPES_H
#define SARTOR_TEST_EXPLORE_LANDSCAPES_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <sartor/search_space.hpp>
#include <sartor/strategy.hpp>

namespace sartor {

/// An artificial objective to search: a space, and the cost of each configuration.
struct Landscape {
  SearchSpace space;
  std::function<double(const SearchSpace::Coordinates &)> cost;
};

inline std::vector<Setting> powers_of_two(int first, int count) {
  std::vector<Setting> settings;
  for (int i = 0; i < count; ++i)
    settings.emplace_back(std::int64_t{1} << (first + i));
  return settings;
}

/// A program of `loops` tiled stencils, with two tile sizes Ti and Tj each, out of 7 sizes from 8
/// to 512. Each loop has its own share of the time, number of arrays and overheads; a tile that
/// does not fit into the cache causes misses. The generic code has tiles of 512 and does not know
/// the size at compile time. Costs differ by seed.
inline Landscape tiled_stencil(std::uint64_t seed, int loops = 12) {
  struct Loop {
    double weight, arrays, row, column;
  };
  std::mt19937_64 random(~seed); // differs from the draws of a search with the same seed
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Loop> work;
  std::vector<Dimension> dimensions;
  for (int i = 0; i < loops; ++i) {
    work.push_back({.weight = std::exp(unit(random)),
                    .arrays = 3 + std::floor(8 * unit(random)),
                    .row = 1 + 5 * unit(random),
                    .column = 4 + 20 * unit(random)});
    for (const char *name : {"Ti", "Tj"})
      dimensions.push_back(
          {.label = name + std::to_string(i + 1), .settings = powers_of_two(3, 7)});
  }
  Landscape landscape{.space = SearchSpace(std::move(dimensions)), .cost = {}};
  std::vector<std::pair<std::size_t, std::size_t>> at; // Ti and Tj among the dimensions
  for (int i = 0; i < loops; ++i) {
    const auto find = [&](const std::string &label) {
      return static_cast<std::size_t>(
          std::ranges::find(landscape.space.dimensions(), label, &Dimension::label) -
          landscape.space.dimensions().begin());
    };
    at.emplace_back(find("Ti" + std::to_string(i + 1)), find("Tj" + std::to_string(i + 1)));
  }
  landscape.cost = [work, at](const SearchSpace::Coordinates &coordinates) {
    double sum = 0;
    for (std::size_t i = 0; i < work.size(); ++i) {
      const std::uint32_t row = coordinates[at[i].first], column = coordinates[at[i].second];
      const double ti = row == 0 ? 512 : std::exp2(row + 2);
      const double tj = column == 0 ? 512 : std::exp2(column + 2);
      const double unknown = 1 + 0.05 * (row == 0) + 0.1 * (column == 0);
      const double bytes = work[i].arrays * (ti + 2) * (tj + 2) * 8;
      const double misses = 2 / (1 + std::pow(262144 / bytes, 2));
      const double l1 = 0.3 / (1 + std::pow(32768 / (work[i].arrays * 3 * (tj + 2) * 8), 2));
      sum +=
          work[i].weight * (unknown * (1 + work[i].row / ti + work[i].column / tj) + misses + l1);
    }
    return sum;
  };
  return landscape;
}

/// Dimensions with an optimum each, anywhere but at the ends, and quadratic costs; and pairs of
/// neighbors that are cheap only together. `ridge` is the weight of the distance across the pair.
inline Landscape hill(std::uint64_t seed, std::size_t dimensions, int settings, double ridge = 0) {
  std::mt19937_64 random(~seed); // differs from the draws of a search with the same seed
  std::vector<double> top, weight;
  std::vector<Dimension> all;
  for (std::size_t i = 0; i < dimensions; ++i) {
    top.push_back(std::uniform_real_distribution<double>(1.5, settings - 0.5)(random));
    weight.push_back(std::uniform_real_distribution<double>(0.2, 1)(random));
    all.push_back({.label = std::string(1, static_cast<char>('a' + i)),
                   .settings = powers_of_two(0, settings)});
  }
  return {SearchSpace(all), [=](const SearchSpace::Coordinates &coordinates) {
            double cost = 1, across = 0;
            for (std::size_t i = 0; i < dimensions; ++i) {
              // Generic code behaves as the first setting, and is a little slower.
              const double off = (std::max(coordinates[i], 1U) - top[i]) / settings;
              cost += weight[i] * off * off * 4 + 0.05 * (coordinates[i] == 0);
              across += (i % 2 == 0 ? 1 : -1) * off;
            }
            return cost + ridge * across * across;
          }};
}

/// Two ordered dimensions with a wide hill around the middle, and a narrower one in a corner that
/// is three times as fast.
inline Landscape two_hills() {
  return {SearchSpace({{.label = "a", .settings = powers_of_two(0, 15)},
                       {.label = "b", .settings = powers_of_two(0, 15)}}),
          [](const SearchSpace::Coordinates &coordinates) {
            if (coordinates[0] == 0 || coordinates[1] == 0)
              return 2.5;
            const auto distance = [&](double a, double b) {
              return std::hypot(coordinates[0] - a, coordinates[1] - b);
            };
            return std::min(1 + 0.1 * distance(8, 8), 0.33 + 0.3 * distance(13, 3));
          }};
}

/// Symbols without an order; each dimension has one setting that is better than all others.
inline Landscape alternatives(std::uint64_t seed, std::size_t dimensions, int settings) {
  std::mt19937_64 random(~seed); // differs from the draws of a search with the same seed
  std::vector<std::uint32_t> best;
  std::vector<Dimension> all;
  for (std::size_t i = 0; i < dimensions; ++i) {
    std::vector<Setting> symbols;
    for (int k = 0; k < settings; ++k)
      symbols.emplace_back("s" + std::to_string(k));
    all.push_back({.label = std::string(1, static_cast<char>('a' + i)),
                   .settings = std::move(symbols),
                   .is_ordered = false});
    best.push_back(std::uniform_int_distribution<std::uint32_t>(
        0, static_cast<std::uint32_t>(settings))(random));
  }
  return {SearchSpace(all), [=](const SearchSpace::Coordinates &coordinates) {
            double cost = 1;
            for (std::size_t i = 0; i < dimensions; ++i)
              cost *= coordinates[i] == best[i] ? 1 : 1.2 + 0.05 * ((coordinates[i] + i) % 3);
            return cost;
          }};
}

/// Measures costs as trials do: with normal noise of the share `noise` of the score, which the
/// result states.
class Measured {
public:
  Measured(const Landscape &landscape, double noise, std::uint64_t seed)
      : landscape_(landscape), noise_(noise), random_(seed) {}

  Trial operator()(const Configuration &configuration) {
    const auto coordinates = landscape_.space.coordinates_of(configuration);
    const double factor = std::exp(noise_ * std::normal_distribution<double>()(random_));
    const double score = factor / landscape_.cost(coordinates.value());
    return {
        .configuration = configuration, .score = score, .error = noise_ * score, .sample_count = 8};
  }

private:
  const Landscape &landscape_;
  double noise_;
  std::mt19937_64 random_;
};

/// Runs a search with `at_once` trials under way; returns the true cost of the chosen
/// configuration.
inline double searched(const Landscape &landscape, Strategy &strategy, double noise,
                       std::uint64_t seed, std::size_t at_once = 1) {
  Measured measured(landscape, noise, seed);
  std::deque<Configuration> asked;
  for (;;) {
    while (asked.size() < at_once) {
      auto configuration = strategy.ask();
      if (!configuration)
        break;
      asked.push_back(*std::move(configuration));
    }
    if (asked.empty())
      return landscape.cost(landscape.space.coordinates_of(strategy.best().configuration).value());
    strategy.tell(measured(asked.front()));
    asked.pop_front();
  }
}

} // namespace sartor

#endif
