// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_WATCH_CHANGE_MONITOR_H
#define SARTOR_EXPLORE_WATCH_CHANGE_MONITOR_H

#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

#include "explore/watch/change_shape.h"
#include "explore/watch/change_shift.h"

namespace sartor {

/// Tells a changed workload from a noisy machine.
///
/// It is given what a request costs, beat by beat. A sensitive test raises a *suspicion* when the
/// cost has moved. Other tenants, clock rates and caches move it too; but they move it for all
/// variants, so a suspicion is checked by pairs of slices, one of what is in force and one of its
/// rival: only if what is in force has lost ground to its rival since the decision is the suspicion
/// confirmed. What is not confirmed is how things are now, and what later beats are held against.
/// Apart from this, another shape of the profiles is a change: at once if it is surely another
/// while a suspicion is fresh, else when it lasts for a second window.
///
/// For use by one thread. Takes no time of its own: the caller measures.
class ChangeMonitor {
public:
  /// What the caller shall do next.
  enum class Next : unsigned char {
    watch,   ///< Give a beat.
    compare, ///< Give a pair.
    changed, ///< Nothing any more: the workload has changed.
  };
  enum class Reason : unsigned char { cost, rival_is_better, shape };

  struct Options {
    bool has_rival = true;   ///< Without one, only shapes tell.
    bool per_request = true; ///< Costs are free of the offered load; a multiple needs no proof.
    double tolerance = 0.01; ///< By how much a rival may be better for good.
  };

  explicit ChangeMonitor(const Options &options);

  [[nodiscard]] Next next() const noexcept { return next_; }

  /// A beat of what is in force: what a request costs. No number or none that is positive says
  /// nothing.
  Next beat(double cost);
  /// A beat of what is in force and one of its rival, right after one another.
  Next pair(double cost, double rival_cost);
  /// What the profiles saw in a window.
  Next window(const Shape &shape);
  /// Gives up comparing, because no pair can be had.
  Next give_up();

  /// True from a suspicion to its end, and not while the first pairs are taken.
  [[nodiscard]] bool suspects() const noexcept { return suspects_; }
  [[nodiscard]] std::size_t suspicions() const noexcept { return suspicions_; }
  /// Pairs taken in all.
  [[nodiscard]] std::size_t pairs() const noexcept { return taken_; }
  [[nodiscard]] Reason reason() const noexcept { return reason_; }
  /// What a request cost before the last suspicion, and in the last beats.
  [[nodiscard]] double before() const;
  [[nodiscard]] double now() const;
  /// How far the last window's shape was from the reference.
  [[nodiscard]] double distance() const noexcept { return shapes_.last_distance(); }

private:
  void weigh_check();
  void clear();
  Next change(Reason why);

  const Options options_;
  Next next_;
  Reason reason_ = Reason::cost;

  // All costs are logarithms.
  std::deque<double> differences_; ///< Of the pairs that showed no change, the last ones.
  std::vector<double> check_;      ///< Differences of the check under way.
  std::vector<double> check_costs_;
  std::deque<double> recent_; ///< The last beats.
  double level_ = 0;          ///< What a request cost when last nothing had changed.
  double difference_ = 0;     ///< What is in force less its rival.
  std::optional<ShiftTest> cost_moved_;
  std::optional<ShiftTest> lost_ground_;
  double limit_; ///< Evidence that makes a suspicion.

  ShapeRule shapes_;
  std::size_t other_shapes_ = 0;       ///< Windows in a row.
  std::size_t since_suspicion_ = 1000; ///< Windows.

  bool suspects_ = false;
  std::size_t suspicions_ = 0;
  std::size_t taken_ = 0;
};

} // namespace sartor

#endif
