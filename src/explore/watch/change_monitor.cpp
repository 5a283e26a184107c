// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/watch/change_monitor.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "explore/evidence/interval.h"

namespace sartor {

namespace {

/// What is looked for: a request that costs 15 % more or less.
const double wanted_shift = std::log(1.15);
/// Pairs at the start, from which the rest is told.
constexpr std::size_t first_pairs = 40;
constexpr std::size_t most_pairs = 80;
constexpr std::size_t pairs_kept = 600;
constexpr std::size_t recent_beats = 12;
/// Noise of one beat goes on in the next: as if samples were worth so much less.
constexpr double correlation = 1.7;
/// The deviation of a pair's difference for how far their mean may be off.
constexpr double reference_noise = 0.1;
/// No machine is quieter.
constexpr double least_deviation = 0.02;
/// Evidence for a suspicion; more when the last ones came to nothing, up to the second.
constexpr double suspicion = 8;
constexpr double most_suspicion = 40;
constexpr double suspicion_grows = 1.1;
/// By beat: back to the first in some minutes.
constexpr double suspicion_shrinks = 0.9995;
/// Evidence that confirms it: odds of about 1 to 20,000; and that refutes it.
constexpr double confirmed = 10;
constexpr double refuted = -4;
/// No neighbour makes a request cost so many times as much, or as little: as a logarithm.
const double multiple = std::log(2.5);
/// Pairs to be sure of that.
constexpr std::size_t multiple_pairs = 8;
/// A suspicion speaks for a shape's change for so many windows.
constexpr std::size_t fresh = 2;

double mean_of(const std::deque<double> &samples) {
  const std::vector<double> copy(samples.begin(), samples.end());
  return always_valid_mean(copy, 0.5).mean;
}

bool says_something(double cost) { return std::isfinite(cost) && cost > 0; }

} // namespace

ChangeMonitor::ChangeMonitor(const Options &options)
    : options_(options), next_(options.has_rival ? Next::compare : Next::watch), limit_(suspicion) {
}

ChangeMonitor::Next ChangeMonitor::beat(double cost) {
  if (next_ != Next::watch || !says_something(cost))
    return next_;
  const double level = std::log(cost);
  recent_.push_back(level);
  if (recent_.size() > recent_beats)
    recent_.pop_front();
  if (!cost_moved_)
    return next_;
  limit_ = std::max(suspicion, limit_ * suspicion_shrinks);
  cost_moved_->add(level - level_);
  if (cost_moved_->evidence() < limit_)
    return next_;
  ++suspicions_;
  suspects_ = true;
  since_suspicion_ = 0;
  lost_ground_->restart();
  check_.clear();
  check_costs_.clear();
  return next_ = Next::compare;
}

ChangeMonitor::Next ChangeMonitor::pair(double cost, double rival_cost) {
  if (next_ != Next::compare || !says_something(cost) || !says_something(rival_cost))
    return next_;
  ++taken_;
  const double difference = std::log(cost) - std::log(rival_cost);
  check_.push_back(difference);
  check_costs_.push_back(std::log(cost));
  if (!suspects_) {
    if (check_.size() == first_pairs)
      clear();
    return next_;
  }
  // Less what the difference at the decision may be off by.
  const double off = reference_noise / std::sqrt(static_cast<double>(differences_.size()));
  const double lost = difference - difference_;
  lost_ground_->add(lost > 0 ? std::max(0.0, lost - off) : lost);
  if (lost_ground_->up() >= confirmed)
    return change(Reason::cost);
  if (options_.per_request && check_.size() >= multiple_pairs &&
      std::fabs(median(check_costs_) - level_) >= multiple)
    return change(Reason::cost);
  if (lost_ground_->up() <= refuted || check_.size() >= most_pairs) {
    limit_ = std::min(most_suspicion, limit_ * suspicion_grows);
    clear();
  }
  return next_;
}

/// Things are as they are seen to be in the check.
void ChangeMonitor::clear() {
  differences_.insert(differences_.end(), check_.begin(), check_.end());
  while (differences_.size() > pairs_kept)
    differences_.pop_front();
  const std::vector<double> known(differences_.begin(), differences_.end());
  const auto noise = [](const std::vector<double> &samples) {
    return correlation * std::max(robust_deviation(samples), least_deviation);
  };
  difference_ = mean_of(differences_);
  lost_ground_.emplace(wanted_shift, noise(known), ShiftTest::Keep::all);
  if (!cost_moved_)
    cost_moved_.emplace(wanted_shift, noise(check_costs_), ShiftTest::Keep::positive);
  cost_moved_->restart();
  level_ = median(check_costs_);
  suspects_ = false;
  next_ = Next::watch;
  const auto [mean, radius] = always_valid_mean(known, 0.001);
  if (known.size() > first_pairs && mean - radius > options_.tolerance + least_deviation)
    change(Reason::rival_is_better);
}

ChangeMonitor::Next ChangeMonitor::give_up() {
  if (next_ != Next::compare)
    return next_;
  suspects_ = false;
  if (cost_moved_)
    cost_moved_->restart();
  return next_ = Next::watch;
}

ChangeMonitor::Next ChangeMonitor::window(const Shape &shape) {
  if (next_ == Next::changed)
    return next_;
  ++since_suspicion_;
  const ShapeRule::Verdict verdict = shapes_.judge(shape);
  other_shapes_ = verdict == ShapeRule::Verdict::usual ? 0 : other_shapes_ + 1;
  const bool suspected = suspects_ || since_suspicion_ <= fresh;
  if (other_shapes_ >= 2 || (verdict == ShapeRule::Verdict::other && suspected))
    return change(Reason::shape);
  return next_;
}

ChangeMonitor::Next ChangeMonitor::change(Reason why) {
  reason_ = why;
  return next_ = Next::changed;
}

double ChangeMonitor::before() const { return std::exp(level_); }

double ChangeMonitor::now() const {
  if (!check_costs_.empty() && suspects_)
    return std::exp(median(check_costs_));
  if (recent_.empty())
    return before();
  return std::exp(median({recent_.begin(), recent_.end()}));
}

} // namespace sartor
