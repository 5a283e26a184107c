// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <random>

#include <x86intrin.h>

namespace sartor::bench {

namespace {

double middle(Samples samples) {
  const auto half = samples.begin() + std::ssize(samples) / 2;
  std::nth_element(samples.begin(), half, samples.end());
  return *half;
}

/// Combines the two samples of each round.
template <class Operation>
Samples combine(const Samples &left, const Samples &right, Operation operation) {
  Samples result;
  if (left.empty() || right.empty())
    return result;
  std::transform(left.begin(), left.end(), right.begin(), std::back_inserter(result), operation);
  return result;
}

} // namespace

std::uint64_t ticks() {
  _mm_lfence();
  const std::uint64_t now = __rdtsc();
  _mm_lfence();
  return now;
}

std::vector<Samples> interleave(const std::vector<Alternative> &alternatives, std::size_t rounds) {
  std::mt19937_64 random(1); // NOLINT(*-random-generator-seed): runs can be repeated
  std::vector<std::size_t> order(alternatives.size());
  std::iota(order.begin(), order.end(), 0);

  for (const Alternative &alternative : alternatives) {
    alternative.prepare();
    alternative.run();
  }
  std::vector<Samples> samples(alternatives.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order) {
      alternatives[i].prepare();
      const std::uint64_t begin = ticks();
      alternatives[i].run();
      samples[i].push_back(static_cast<double>(ticks() - begin));
    }
  }
  return samples;
}

// The percentile bootstrap: Efron & Tibshirani, An Introduction to the Bootstrap, chapter 13.
Interval median(const Samples &samples) {
  if (samples.empty())
    return Interval::too_short();
  constexpr std::size_t resamples = 1000;
  std::mt19937_64 random(2); // NOLINT(*-random-generator-seed)
  std::uniform_int_distribution<std::size_t> pick(0, samples.size() - 1);
  Samples medians;
  Samples resample(samples.size());
  for (std::size_t i = 0; i < resamples; ++i) {
    std::generate(resample.begin(), resample.end(), [&] { return samples[pick(random)]; });
    medians.push_back(middle(resample));
  }
  std::sort(medians.begin(), medians.end());
  return {middle(samples), medians[resamples / 40], medians[resamples - 1 - resamples / 40]};
}

Samples without(const Samples &samples, const Samples &constant) {
  constexpr double kTimesNoise = 5;
  const Interval all = median(samples);
  const Interval part = median(constant);
  if (all.value - part.value < kTimesNoise * ((all.high - all.low) + (part.high - part.low)) / 2)
    return {};
  Samples rest = samples;
  for (double &sample : rest)
    sample -= part.value;
  return rest;
}

Samples ratios(const Samples &over, const Samples &under) {
  return combine(over, under, [](double a, double b) { return a / b; });
}

Interval ratio(const Samples &over, const Samples &under) { return median(ratios(over, under)); }

Interval difference(const Samples &more, const Samples &less, double calls) {
  return median(combine(more, less, [&](double a, double b) { return (a - b) / calls; }));
}

Interval over_all(const std::vector<Samples> &programs,
                  const std::function<double(const std::vector<double> &)> &combine) {
  constexpr std::size_t draws = 1000;
  std::mt19937_64 random(4); // NOLINT(*-random-generator-seed): runs can be repeated
  const auto of = [&](auto &&sample) {
    std::vector<double> medians;
    for (const Samples &samples : programs)
      medians.push_back(middle(sample(samples)));
    return combine(medians);
  };
  std::vector<double> drawn;
  for (std::size_t i = 0; i < draws; ++i)
    drawn.push_back(of([&](const Samples &samples) {
      std::uniform_int_distribution<std::size_t> any(0, samples.size() - 1);
      Samples resample(samples.size());
      std::ranges::generate(resample, [&] { return samples[any(random)]; });
      return resample;
    }));
  std::ranges::sort(drawn);
  return {of([](const Samples &samples) { return samples; }), drawn[draws / 40],
          drawn[draws - 1 - draws / 40]};
}

double mean(const std::vector<double> &values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double least(const std::vector<double> &values) { return *std::ranges::min_element(values); }

double geometric_mean(const std::vector<double> &values) {
  double sum = 0;
  for (const double value : values)
    sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::size_t fastest(const std::vector<Samples> &samples) {
  const auto quicker = [](const Samples &left, const Samples &right) {
    return middle(left) < middle(right);
  };
  return static_cast<std::size_t>(std::min_element(samples.begin(), samples.end(), quicker) -
                                  samples.begin());
}

} // namespace sartor::bench
