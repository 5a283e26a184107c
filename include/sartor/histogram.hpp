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

/// A histogram as percentiles are read from. One that a program has already will do.
struct Buckets {
  /// The largest value in each bucket, ascending; there is one bucket more for all beyond the last.
  /// Percentiles are no finer than these: in a bucket, values are taken to be spread evenly.
  std::vector<double> bounds;
  /// How many values there were so far in each bucket, not counting those in smaller ones; one
  /// number more than there are bounds. Called from the explorer's thread, some hundred times a
  /// second at most.
  std::function<std::vector<std::uint64_t>()> counts;
};

/// Counts latencies by size, from 1 ns to 73 minutes, in buckets whose width is at most 1/64 of
/// what is in them: so that a percentile is off by 0.8 % at most. Takes 76 KiB. As in G. Tene's
/// HdrHistogram, without its lower counts' levels; buckets have no locks.
class Histogram {
public:
  Histogram();
  ~Histogram();
  Histogram(const Histogram &) = delete;
  Histogram &operator=(const Histogram &) = delete;

  /// Counts one; negative is 0. From any thread, without waiting: some nanoseconds; threads in
  /// four groups have counts of their own. Also in signal handlers.
  void record(std::chrono::nanoseconds latency) noexcept;
  /// The same of a latency in seconds, which may be any number; what is none is not counted.
  void record_seconds(double latency) noexcept;
  /// How many there were so far, by bucket of bounds(). What is recorded meanwhile may be in it or
  /// not.
  [[nodiscard]] std::vector<std::uint64_t> counts() const;
  /// In seconds, as Buckets::bounds.
  [[nodiscard]] static const std::vector<double> &bounds();

private:
  using Counts = std::vector<std::atomic<std::uint64_t>>;
  std::unique_ptr<Counts[]> counts_; ///< Of each share of the threads.
};

} // namespace sartor

#endif
