// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/evidence/percentile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "tuner/limits.h"

namespace sartor {

Requests requests_between(std::span<const std::uint64_t> before,
                          std::span<const std::uint64_t> after) {
  Requests requests;
  for (std::size_t i = 0; i < after.size(); ++i)
    if (after[i] > before[i])
      requests.push_back({static_cast<std::uint32_t>(i), after[i] - before[i]});
  return requests;
}

Requests merged(const Requests &one, const Requests &other) {
  const std::array<Sample, 2> both{
      {{.score = 0, .requests = one}, {.score = 0, .requests = other}}};
  return together(both);
}

QuantitySample merged(const QuantitySample &one, const QuantitySample &other) {
  if (!(one.weight > 0) || !(other.weight > 0))
    return other.weight > 0 ? other : one;
  const double weight = one.weight + other.weight;
  return {(one.value * one.weight + other.value * other.weight) / weight, weight,
          merged(one.requests, other.requests)};
}

Requests together(std::span<const Sample> samples) {
  std::vector<std::uint64_t> counts;
  for (const Sample &sample : samples)
    for (const auto &[bucket, count] : sample.requests) {
      if (bucket >= counts.size())
        counts.resize(bucket + 1);
      counts[bucket] += count;
    }
  Requests all;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0)
      all.push_back({static_cast<std::uint32_t>(i), counts[i]});
  return all;
}

double number_of(const Requests &requests) {
  double number = 0;
  for (const auto &[bucket, count] : requests)
    number += static_cast<double>(count);
  return number;
}

double Percentile::low(std::size_t bucket) const {
  return bucket == 0 ? std::min(bounds_.front(), 0.0) : bounds_[bucket - 1];
}

double Percentile::high(std::size_t bucket) const {
  return bucket < bounds_.size() ? bounds_[bucket] : bounds_.back();
}

double Percentile::above(const Requests &requests, double limit) const {
  double number = 0;
  for (const auto &[bucket, count] : requests) {
    const double from = low(bucket), to = high(bucket);
    if (limit < from || (limit == from && from < to))
      number += static_cast<double>(count);
    else if (limit < to)
      number += static_cast<double>(count) * (to - limit) / (to - from);
  }
  return number;
}

double Percentile::value(const Requests &requests, double tail) const {
  double left = tail * number_of(requests);
  for (std::size_t i = requests.size(); i-- > 0;) {
    const auto &[bucket, count] = requests[i];
    const auto here = static_cast<double>(count);
    if (left <= here)
      return high(bucket) - (high(bucket) - low(bucket)) * left / here;
    left -= here;
  }
  return requests.empty() ? 0 : low(requests.front().bucket);
}

double Percentile::score_of(const Requests &requests) const {
  return requests.empty() ? 0 : 1 / std::max(value(requests), limits::least_percentile);
}

double Percentile::mean(const Requests &requests) const {
  double sum = 0;
  for (const auto &[bucket, count] : requests)
    sum += static_cast<double>(count) * (low(bucket) + high(bucket)) / 2;
  return sum / number_of(requests);
}

bool Percentile::is_of_enough(const Requests &requests) const {
  return number_of(requests) * std::min(share_, tail()) >= limits::fewest_beyond;
}

double Percentile::slope(const Requests &requests) const {
  const double step = limits::density_beside * std::min(share_, tail());
  return std::log(std::max(value(requests, tail() - step), limits::least_percentile) /
                  std::max(value(requests, tail() + step), limits::least_percentile)) /
         (2 * step);
}

Total Percentile::total_of(std::span<const Sample> samples) const {
  const Requests all = together(samples);
  Total total;
  const double number = number_of(all);
  total.mean = score_of(all);
  if (!(total.mean > 0) || !is_of_enough(all))
    return total;
  const double here = 1 / total.mean;
  const double steepness = slope(all);
  const double each = number / static_cast<double>(samples.size());
  total.influences.reserve(samples.size());
  for (const Sample &sample : samples)
    total.influences.push_back(
        total.mean * steepness *
        (tail() * number_of(sample.requests) - above(sample.requests, here)) / each);
  return total;
}

double Percentile::common_limit(const Requests &more, const Requests &than, double by) const {
  const double ours = number_of(more), theirs = number_of(than);
  double from = 0, to = bounds_.back();
  for (int step = 0; step < limits::halvings; ++step) {
    const double middle = (from + to) / 2;
    const double share = above(more, middle) / ours + above(than, middle * by) / theirs;
    (share > 2 * tail() ? from : to) = middle;
  }
  return to;
}

} // namespace sartor
