// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/watch/drift.h"

#include <cmath>
#include <utility>

#include "explore/evidence/interval.h"
#include "explore/watch/limits.h"

namespace sartor {

namespace {

const double wanted_shift = std::log(limits::wanted_shift);

bool says_something(double cost) { return std::isfinite(cost) && cost > 0; }

} // namespace

Drift::Drift(const Options &options)
    : options_(options), budget_(options.budget), limit_(limits::suspicion) {}

bool Drift::has_learnt() const { return usual_.size() >= limits::first_batches; }

Drift::Next Drift::next() const {
  if (changed_)
    return Next::changed;
  const bool is_due = is_checking() && is_busy_ && since_pair_ >= limits::pairs_apart;
  return is_due && budget_.has(1) ? Next::pair : Next::beat;
}

void Drift::pass(double seconds) {
  budget_.earn(seconds);
  errors_.earn(seconds);
  since_pair_ += seconds;
}

void Drift::beat(double cost, double seconds) {
  pass(seconds);
  is_busy_ = says_something(cost);
  if (changed_ || !options_.has_rival || !is_busy_)
    return;
  rest_ -= rest_ > 0 ? 1 : 0;
  beats_.push_back(std::log(cost));
  if (beats_.size() < limits::beats_in_batch)
    return;
  recent_ = middle_of(std::exchange(beats_, {}));
  const bool is_known = costs_.size() >= limits::costs_to_know;
  if (!is_known)
    costs_.add({recent_});
  if (is_checking_ || rest_ > 0)
    return;
  if (has_learnt() && is_known)
    suspect();
  const bool is_affordable =
      has_learnt() ? budget_.level() > limits::kept_back : budget_.has(limits::pairs_in_batch);
  if (!is_checking_ && is_affordable)
    begin_check();
}

void Drift::suspect() {
  if (!cost_moved_)
    cost_moved_.emplace(wanted_shift, std::sqrt(costs_.variance() * costs_.inflation()));
  limit_ = std::max(limits::suspicion, limit_ * limits::suspicion_shrinks);
  cost_moved_->add(recent_ - costs_.mean());
  if (cost_moved_->evidence() < limit_)
    return costs_.add({recent_});
  suspicions_ += suspects_ ? 0 : 1;
  suspects_ = true;
  // Otherwise it is put off until there is enough to come to an end with.
  if (budget_.has(limits::pairs_in_batch * limits::routine_batches))
    begin_check();
}

void Drift::begin_check() {
  ++checks_;
  is_checking_ = true;
  error_ = has_learnt() ? errors_.take() : 0;
  check_.clear();
  batch_.clear();
  fruitless_ = 0;
}

void Drift::pair(const Costs::Pair &pair, double seconds) {
  pass(seconds);
  if (changed_ || !is_checking())
    return;
  ++taken_;
  since_pair_ = 0;
  if (!says_something(pair.ours) || !says_something(pair.rivals)) {
    budget_.spend(pair, 2); // whatever it did
    if (++fruitless_ >= limits::most_fruitless) {
      rest_ = limits::rest_after_nothing;
      end_check();
    }
    return;
  }
  fruitless_ = 0;
  batch_.push_back(std::log(pair.ours / pair.rivals));
  const double lead = usual_.size() > 0 ? -usual_.mean() : -batch_.back();
  budget_.spend(pair, std::exp(lead));
  if (batch_.size() == limits::pairs_in_batch)
    end_batch();
}

void Drift::end_batch() {
  check_.push_back(middle_of(std::exchange(batch_, {})));
  if (!has_learnt()) {
    if (usual_.size() + check_.size() >= limits::first_batches)
      end_check();
    return;
  }
  const double odds = usual_.log_odds(check_, wanted_shift);
  if (odds >= -std::log(error_ / 2))
    return change(Reason::lost_ground);
  const bool is_dull = !suspects_ && check_.size() >= limits::routine_batches && odds <= 0;
  if (is_dull || odds <= limits::refuted || check_.size() >= limits::most_batches ||
      !budget_.has(limits::pairs_in_batch))
    end_check();
}

/// Things are as they are seen to be in the check.
void Drift::end_check() {
  usual_.add(check_);
  is_checking_ = false;
  cost_moved_.reset();
  if (std::exchange(suspects_, false)) {
    limit_ = std::min(limits::most_suspicion, limit_ * limits::suspicion_grows);
    costs_ = Batches(); // what a request costs now is what it should cost
  }
  if (check_.empty())
    errors_.give_back(error_);
  if (check_.empty() || error_ == 0)
    return;
  const double inflation = usual_.inflation();
  const auto batches = static_cast<double>(usual_.size());
  const double radius = always_valid_radius(usual_.variance() * inflation, batches,
                                            (batches - 1) / inflation, error_ / 2);
  if (usual_.mean() - radius > options_.tolerance)
    change(Reason::rival_is_better);
}

void Drift::change(Reason why) {
  changed_ = true;
  reason_ = why;
  double lead = 0;
  for (const double batch : check_)
    lead += batch;
  rival_leads_ = why == Reason::rival_is_better || lead > 0;
}

double Drift::before() const { return std::exp(costs_.size() > 0 ? costs_.mean() : recent_); }

double Drift::now() const { return std::exp(recent_); }

} // namespace sartor
