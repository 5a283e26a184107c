// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sartor/histogram.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace sartor {

namespace {

/// Number of buckets for each power of two, as a power of two.
constexpr unsigned fine = 6;
constexpr std::uint64_t steps = std::uint64_t{1} << fine;
/// Values from this power of two on, in nanoseconds, are in the last bucket.
constexpr unsigned most = 42;
constexpr std::size_t buckets = steps + (most - fine) * steps;
/// Number of separate arrays of counts, over which threads are distributed to avoid contention for
/// cache lines.
constexpr unsigned groups = 4;

std::size_t bucket_of(std::uint64_t nanoseconds) {
  if (nanoseconds < steps)
    return nanoseconds;
  if (nanoseconds >> most != 0)
    return buckets;
  const auto power = static_cast<unsigned>(std::bit_width(nanoseconds)) - 1;
  const std::uint64_t step = (nanoseconds >> (power - fine)) - steps;
  return steps + (power - fine) * steps + step;
}

/// The largest value in a bucket.
std::uint64_t largest_of(std::size_t bucket) {
  if (bucket < steps)
    return bucket;
  const std::uint64_t power = (bucket - steps) / steps, step = (bucket - steps) % steps;
  return ((steps + step + 1) << power) - 1;
}

unsigned group_of_this_thread() {
  static std::atomic<unsigned> next = 0;
  // 0 means none yet: nothing is constructed at a thread's first call, which may be in a signal
  // handler.
  static thread_local unsigned group = 0;
  if (group == 0)
    group = next.fetch_add(1, std::memory_order_relaxed) % groups + 1;
  return group - 1;
}

} // namespace

Histogram::Histogram() : counts_(std::make_unique<Counts[]>(groups)) {
  for (unsigned group = 0; group < groups; ++group)
    counts_[group] = Counts(buckets + 1);
}

Histogram::~Histogram() = default;

void Histogram::record(std::chrono::nanoseconds latency) noexcept {
  const auto nanoseconds = static_cast<std::uint64_t>(std::max<std::int64_t>(latency.count(), 0));
  counts_[group_of_this_thread()][bucket_of(nanoseconds)].fetch_add(1, std::memory_order_relaxed);
}

void Histogram::record_seconds(double latency) noexcept {
  if (std::isnan(latency))
    return;
  constexpr double beyond = static_cast<double>(std::uint64_t{1} << most);
  record(
      std::chrono::nanoseconds(static_cast<std::int64_t>(std::clamp(1e9 * latency, 0.0, beyond))));
}

std::vector<std::uint64_t> Histogram::counts() const {
  std::vector<std::uint64_t> sums(buckets + 1);
  for (unsigned group = 0; group < groups; ++group)
    for (std::size_t bucket = 0; bucket <= buckets; ++bucket)
      sums[bucket] += counts_[group][bucket].load(std::memory_order_relaxed);
  return sums;
}

const std::vector<double> &Histogram::bounds() {
  // Never destroyed: an explorer may measure while the process exits.
  static const auto &all = *[] {
    auto *bounds = new std::vector<double>(buckets);
    for (std::size_t bucket = 0; bucket < buckets; ++bucket)
      (*bounds)[bucket] = 1e-9 * static_cast<double>(largest_of(bucket));
    return bounds;
  }();
  return all;
}

} // namespace sartor
