// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_OBJECTIVE_TALLY_H
#define SARTOR_EXPLORE_OBJECTIVE_TALLY_H

#include <chrono>
#include <cstdint>
#include <vector>

#include <sartor/objective.hpp>
#include <sartor/strategy.hpp>

namespace sartor {

/// What a bounded quantity comes to in a stretch of time that begins when this is made. Counts are
/// read when they are asked for and not in between. For use by one thread; the bound must outlive
/// it. Throws what the quantity's functions do.
class Tally {
public:
  using Clock = std::chrono::steady_clock;

  explicit Tally(const Bound &bound);

  /// One more reading of a gauge; nothing else has to be looked at on the way.
  void look();
  /// So far. Nothing seen, if a count has become less.
  [[nodiscard]] BoundReading so_far() const;
  /// Whether it has.
  [[nodiscard]] bool is_set_back() const;

private:
  const Bound &bound_;
  Clock::time_point start_ = Clock::now();
  double read_ = 0, per_ = 0; ///< At the start; of a gauge, the sum of readings and their number.
  std::vector<std::uint64_t> counts_; ///< Of a percentile, at the start.
};

/// Whether any count is less than before.
bool has_less(const std::vector<std::uint64_t> &now, const std::vector<std::uint64_t> &before);

} // namespace sartor

#endif
