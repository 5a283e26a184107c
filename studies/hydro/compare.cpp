// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

namespace hydro {

namespace {

using sartor::bench::Samples;
using Indices = std::vector<std::size_t>;

/// The 97.5 % quantiles of Student's t with 1, 2, ... degrees of freedom.
constexpr std::array kStudent = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23};

double middle(Samples samples) {
  std::ranges::sort(samples);
  const std::size_t half = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

/// For each search, the logarithm of its median over some rounds.
Samples medians(const std::vector<Samples> &ratios, const Indices &rounds) {
  Samples logs;
  for (const Samples &search : ratios) {
    Samples drawn;
    for (const std::size_t round : rounds)
      drawn.push_back(search[round]);
    logs.push_back(std::log(middle(std::move(drawn))));
  }
  return logs;
}

double mean(const Samples &samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

double variance(const Samples &samples) {
  const double middle = mean(samples);
  double sum = 0;
  for (const double sample : samples)
    sum += (sample - middle) * (sample - middle);
  return sum / static_cast<double>(samples.size() - 1);
}

} // namespace

sartor::bench::Interval over_searches(const std::vector<Samples> &ratios) {
  Indices rounds(ratios.front().size());
  std::iota(rounds.begin(), rounds.end(), std::size_t{0});
  const Samples searches = medians(ratios, rounds);
  const double from_searches = variance(searches) / static_cast<double>(searches.size());

  std::mt19937_64 random(3); // NOLINT(*-random-generator-seed): runs can be repeated
  std::uniform_int_distribution<std::size_t> any(0, rounds.size() - 1);
  Samples drawn;
  for (int draw = 0; draw < 500; ++draw) {
    std::ranges::generate(rounds, [&] { return any(random); });
    drawn.push_back(mean(medians(ratios, rounds)));
  }
  const double value = mean(searches);
  const double reach = kStudent[std::min(searches.size() - 2, kStudent.size() - 1)] *
                       std::sqrt(from_searches + variance(drawn));
  return {std::exp(value), std::exp(value - reach), std::exp(value + reach)};
}

} // namespace hydro
