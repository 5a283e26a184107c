// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_HISTOGRAM_HPP
#define SARTOR_HISTOGRAM_HPP

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace sartor {

/// A histogram from which percentiles are computed. A program's own histogram can be used.
struct Buckets {
  /// The largest value in each bucket, ascending; one more bucket holds all larger values.
  /// Percentiles are no finer than these: values are assumed to be spread evenly in a bucket.
  std::vector<double> bounds;
  /// Returns the number of values so far in each bucket, without those in smaller ones; one number
  /// more than there are bounds. Called from the explorer's thread, at most some hundred times a
  /// second.
  std::function<std::vector<std::uint64_t>()> counts;
};

/// Counts latencies by size, from 1 ns to 73 minutes, in buckets whose width is at most 1/64 of
/// their values, so that a percentile has an error of at most 0.8 %. Takes 76 KiB. Like G. Tene's
/// HdrHistogram, without its lower counts' levels; buckets have no locks.
class Histogram {
public:
  Histogram();
  ~Histogram();
  Histogram(const Histogram &) = delete;
  Histogram &operator=(const Histogram &) = delete;

  /// Counts one latency; a negative one counts as 0. Callable from any thread, also in signal
  /// handlers; takes some nanoseconds and does not block. Threads in four groups have separate
  /// counts.
  void record(std::chrono::nanoseconds latency) noexcept;
  /// The same for a latency in seconds; NaN is not counted.
  void record_seconds(double latency) noexcept;
  /// Counts so far, by bucket of bounds(). Latencies recorded meanwhile may or may not be included.
  [[nodiscard]] std::vector<std::uint64_t> counts() const;
  /// See Buckets::bounds; in seconds.
  [[nodiscard]] static const std::vector<double> &bounds();

private:
  using Counts = std::vector<std::atomic<std::uint64_t>>;
  std::unique_ptr<Counts[]> counts_; ///< One for each group of threads.
};

} // namespace sartor

#endif
