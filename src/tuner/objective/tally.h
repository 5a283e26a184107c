// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_TALLY_H
#define SARTOR_TUNER_OBJECTIVE_TALLY_H

#include <chrono>
#include <cstdint>
#include <vector>

#include <sartor/objective.hpp>
#include <sartor/strategy.hpp>

namespace sartor {

/// What a quantity comes to beside the first in a stretch of time that begins when this is made.
/// Counts are read when they are asked for and not in between. For use by one thread; the quantity
/// must outlive it. Throws what the quantity's functions do.
class Tally {
public:
  using Clock = std::chrono::steady_clock;

  explicit Tally(const Objective &of);

  /// One more reading of a gauge; nothing else has to be looked at on the way.
  void look();
  /// So far, in the quantity's own unit; of a percentile, the mean of what it is one of. Nothing
  /// seen, if a count has become less.
  [[nodiscard]] QuantityReading so_far() const;
  /// Whether it has.
  [[nodiscard]] bool is_set_back() const;

private:
  const Objective &of_;
  Clock::time_point start_ = Clock::now();
  double read_ = 0, per_ = 0; ///< At the start; of a gauge, the sum of readings and their number.
  std::vector<std::uint64_t> counts_; ///< Of a percentile, at the start.
};

/// What that is to a bound of the quantity.
BoundReading bound_reading(const Bound &bound, const QuantityReading &reading);

/// Whether any count is less than before.
bool has_less(const std::vector<std::uint64_t> &now, const std::vector<std::uint64_t> &before);

} // namespace sartor

#endif
