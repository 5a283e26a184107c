// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_TALLY_H
#define SARTOR_TUNER_OBJECTIVE_TALLY_H

#include <chrono>
#include <cstdint>
#include <vector>

#include <sartor/objective.hpp>
#include <sartor/strategy.hpp>

namespace sartor {

/// Measures a quantity other than the first over a period that begins at construction. Counts are
/// read on demand only. For use by one thread; the quantity must outlive it. Throws what the
/// quantity's functions throw.
class Tally {
public:
  using Clock = std::chrono::steady_clock;

  explicit Tally(const Objective &of);

  /// Reads a gauge once more; other kinds need no intermediate reads.
  void look();
  /// Value so far, in the quantity's own unit; for a percentile, the mean of the underlying values.
  /// Without weight if a count has decreased.
  [[nodiscard]] QuantitySample so_far() const;
  /// True if a count has decreased.
  [[nodiscard]] bool is_set_back() const;

private:
  const Objective &of_;
  Clock::time_point start_ = Clock::now();
  double read_ = 0, per_ = 0;         ///< At the start; of a gauge, the sum and number of values.
  std::vector<std::uint64_t> counts_; ///< Counts of a percentile, at the start.
};

/// Converts a quantity's value for comparison with a bound.
BoundSample bound_sample(const Bound &bound, const QuantitySample &measured);

/// True if any count is less than before.
bool has_less(const std::vector<std::uint64_t> &now, const std::vector<std::uint64_t> &before);

} // namespace sartor

#endif
