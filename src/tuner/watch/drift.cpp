// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/watch/drift.h"

#include <cmath>
#include <utility>

#include "tuner/evidence/interval.h"
#include "tuner/limits.h"

namespace sartor {

namespace {

const double wanted_shift = std::log(limits::wanted_shift);

bool says_something(double cost) { return std::isfinite(cost) && cost > 0; }

} // namespace

Drift::Drift(const Options &options)
    : options_(options), budget_(options.budget), limit_(limits::suspicion) {}

bool Drift::has_learnt() const { return usual_.size() > limits::first_batches; }

Drift::Next Drift::next() const {
  if (changed_)
    return Next::changed;
  const bool is_due = is_busy_ && rest_ == 0 && since_pair_ >= limits::pairs_apart;
  const bool is_wanted = suspects_ || !has_learnt() || budget_.level() > limits::kept_back;
  return options_.has_rival && is_due && is_wanted && budget_.has(1) ? Next::pair : Next::beat;
}

void Drift::pass(double seconds) {
  budget_.earn(seconds);
  errors_.earn(seconds);
  since_pair_ += seconds;
}

void Drift::beat(double cost, double seconds) {
  pass(seconds);
  is_busy_ = says_something(cost);
  rest_ -= rest_ > 0 ? 1 : 0;
  if (changed_ || !options_.has_rival || !is_busy_)
    return;
  beats_.push_back(std::log(cost));
  if (beats_.size() < limits::beats_in_batch)
    return;
  recent_ = middle_of(std::exchange(beats_, {}));
  if (costs_.size() < limits::costs_to_know)
    costs_.add(recent_);
  else if (has_learnt() && !suspects_)
    watch_cost();
}

/// Whether a request costs something else than before.
void Drift::watch_cost() {
  if (!cost_moved_)
    cost_moved_.emplace(wanted_shift, std::sqrt(costs_.variance()));
  limit_ = std::max(limits::suspicion, limit_ * limits::suspicion_shrinks);
  cost_moved_->add(recent_ - costs_.mean());
  if (cost_moved_->evidence() < limit_)
    return costs_.add(recent_);
  // What begins now is likelier a change than what begins at any other time.
  error_of_next_ += errors_.take(limits::error_of_suspicion);
  suspect(usual_.gone() + usual_.size());
}

void Drift::suspect(std::size_t since) {
  ++suspicions_;
  suspects_ = true;
  suspected_since_ = since;
}

void Drift::end_suspicion() {
  ++checks_;
  suspects_ = false;
  cost_moved_.reset();
  limit_ = std::min(limits::most_suspicion, limit_ * limits::suspicion_grows);
  costs_ = Batches(); // what a request costs now is what it should cost
}

void Drift::pair(const Costs::Pair &pair, double seconds) {
  pass(seconds);
  if (changed_)
    return;
  ++taken_;
  since_pair_ = 0;
  if (!says_something(pair.ours) || !says_something(pair.rivals)) {
    budget_.spend(pair, 2); // whatever it did
    if (++fruitless_ >= limits::most_fruitless) {
      fruitless_ = 0;
      rest_ = limits::rest_after_nothing;
      if (suspects_)
        end_suspicion();
    }
    return;
  }
  fruitless_ = 0;
  batch_.push_back(std::log(pair.ours / pair.rivals));
  rivals_.push_back(std::log(pair.rivals));
  const double lead = usual_.size() > 0 ? -usual_.mean() : -batch_.back();
  budget_.spend(pair, std::exp(lead));
  if (batch_.size() == limits::pairs_in_batch)
    end_batch();
}

void Drift::end_batch() {
  usual_.add(middle_of(std::exchange(batch_, {})),
             std::exchange(error_of_next_, 0) + errors_.take(limits::error_of_batch) / 2,
             middle_of(std::exchange(rivals_, {})));
  if (!has_learnt())
    return;
  if (usual_.size() % limits::stretch == 0 && is_rival_better())
    return change(Reason::rival_is_better);
  const auto evidence = usual_.evidence(wanted_shift);
  if (evidence.alarm >= 0) {
    changed_since_ = evidence.since;
    return change(Reason::lost_ground);
  }
  if (!suspects_ && evidence.strongest >= limits::suspicion_by_pairs)
    suspect(usual_.gone() + evidence.since);
  if (!suspects_) {
    const bool is_first = usual_.gone() == 0 && usual_.size() == limits::first_batches + 1;
    checks_ += is_first || usual_.size() % limits::stretch == 0 ? 1 : 0;
    return;
  }
  const std::size_t known = suspected_since_ - std::min(suspected_since_, usual_.gone());
  const bool is_old = known < limits::first_batches || usual_.size() > known + limits::most_batches;
  if (is_old || (known < usual_.size() && usual_.log_odds(known, wanted_shift) <= limits::refuted))
    end_suspicion();
}

bool Drift::is_rival_better() {
  const double inflation = usual_.inflation();
  const auto batches = static_cast<double>(usual_.size());
  const double radius =
      always_valid_radius(usual_.variance() * inflation, batches, (batches - 1) / inflation,
                          errors_.take(limits::error_of_batch));
  return usual_.mean() - radius > options_.tolerance;
}

void Drift::change(Reason why) {
  changed_ = true;
  reason_ = why;
  rival_leads_ = why == Reason::rival_is_better || usual_.mean_since(changed_since_) > 0;
}

double Drift::before() const { return std::exp(costs_.size() > 0 ? costs_.mean() : recent_); }

double Drift::now() const { return std::exp(recent_); }

} // namespace sartor
