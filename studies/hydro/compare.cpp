// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace hydro {

namespace {

double middle(sartor::bench::Samples samples) {
  std::ranges::sort(samples);
  const std::size_t half = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

using Indices = std::vector<std::size_t>;

double mean_of(const std::vector<sartor::bench::Samples> &ratios, const Indices &searches,
               const Indices &rounds) {
  double sum = 0;
  for (const std::size_t search : searches) {
    sartor::bench::Samples drawn;
    for (const std::size_t round : rounds)
      drawn.push_back(ratios[search][round]);
    sum += std::log(middle(std::move(drawn)));
  }
  return std::exp(sum / static_cast<double>(searches.size()));
}

} // namespace

sartor::bench::Interval over_searches(const std::vector<sartor::bench::Samples> &ratios) {
  constexpr std::size_t draws = 2000;
  Indices searches(ratios.size());
  Indices rounds(ratios.front().size());
  std::iota(searches.begin(), searches.end(), std::size_t{0});
  std::iota(rounds.begin(), rounds.end(), std::size_t{0});
  const double value = mean_of(ratios, searches, rounds);
  std::mt19937_64 random(3); // NOLINT(*-random-generator-seed): runs can be repeated
  const auto draw = [&](Indices &indices) {
    std::uniform_int_distribution<std::size_t> any(0, indices.size() - 1);
    std::ranges::generate(indices, [&] { return any(random); });
  };
  std::vector<double> drawn;
  while (drawn.size() < draws) {
    draw(searches);
    draw(rounds);
    drawn.push_back(mean_of(ratios, searches, rounds));
  }
  std::ranges::sort(drawn);
  return {value, drawn[draws / 40], drawn[draws - 1 - draws / 40]};
}

} // namespace hydro
