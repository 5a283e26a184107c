// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/change_detection/cost_change_detector.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tuner/evidence/interval.h"
#include "tuner/evidence/paired_test.h"
#include "tuner/limits.h"

namespace sartor {

namespace {

const double wanted_shift = std::log(limits::wanted_shift);

bool says_something(double cost) { return std::isfinite(cost) && cost > 0; }

} // namespace

CostChangeDetector::CostChangeDetector(const Options &options)
    : options_(options), budget_(options.budget) {}

bool CostChangeDetector::has_learnt() const { return usual_.size() > limits::first_batches; }

CostChangeDetector::Next CostChangeDetector::next() const {
  if (changed_)
    return Next::changed;
  const bool is_due = is_busy_ && rest_ == 0 && since_pair_ >= limits::pairs_apart;
  const bool is_wanted = warned_ || !has_learnt() || budget_.level() > limits::kept_back;
  return options_.has_rival && is_due && is_wanted && budget_.has(1) ? Next::pair : Next::sample;
}

void CostChangeDetector::pass(double seconds) {
  budget_.earn(seconds);
  errors_.earn(seconds);
  since_pair_ += seconds;
}

void CostChangeDetector::sample(double cost, double seconds) {
  pass(seconds);
  is_busy_ = says_something(cost);
  rest_ -= rest_ > 0 ? 1 : 0;
  if (changed_ || !options_.has_rival || !is_busy_)
    return;
  cost_samples_.push_back(std::log(cost));
  if (cost_samples_.size() < limits::samples_in_batch)
    return;
  recent_ = middle_of(std::exchange(cost_samples_, {}));
  if (costs_.size() < limits::costs_to_know)
    costs_.add(recent_);
  else if (has_learnt() && !warned_)
    update_cost_evidence();
}

/// Updates the evidence that the cost of a request has changed.
void CostChangeDetector::update_cost_evidence() {
  if (cost_weight_ == 0)
    cost_weight_ = wanted_shift / costs_.variance();
  // The log odds of a cost that has moved by the wanted shift. A burst of foreign load must cause
  // no warning.
  const auto evidence = [&](double towards) {
    return std::clamp(cost_weight_ * (towards - wanted_shift / 2), -limits::most_of_a_sample,
                      limits::most_of_a_sample);
  };
  const double off = recent_ - costs_.mean();
  cost_moved_.set_threshold(
      std::max(limits::warning_threshold, cost_moved_.threshold() * limits::warning_shrinks));
  cost_moved_.add(evidence(off), evidence(-off));
  if (!cost_moved_.has_changed())
    return costs_.add(recent_);
  // A change is likelier to begin now than at any other time.
  error_of_next_ += errors_.take(limits::error_of_warning);
  warn(usual_.gone() + usual_.size());
}

void CostChangeDetector::warn(std::size_t since) {
  ++warnings_;
  warned_ = true;
  warned_since_ = since;
}

void CostChangeDetector::end_warning() {
  ++checks_;
  warned_ = false;
  cost_weight_ = 0;
  cost_moved_ = ChangeTest(
      std::min(limits::most_warning_threshold, cost_moved_.threshold() * limits::warning_grows));
  costs_ = Batches(); // the current cost of a request becomes the expected cost
}

void CostChangeDetector::pair(const Costs::Pair &pair, double seconds) {
  pass(seconds);
  if (changed_)
    return;
  ++taken_;
  since_pair_ = 0;
  if (!says_something(pair.ours) || !says_something(pair.rivals)) {
    budget_.spend(pair, 2); // the result of the pair does not matter here
    if (++fruitless_ >= limits::most_fruitless) {
      fruitless_ = 0;
      rest_ = limits::rest_after_nothing;
      if (warned_)
        end_warning();
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

void CostChangeDetector::end_batch() {
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
  if (!warned_ && evidence.strongest >= limits::warning_by_pairs)
    warn(usual_.gone() + evidence.since);
  if (!warned_) {
    const bool is_first = usual_.gone() == 0 && usual_.size() == limits::first_batches + 1;
    checks_ += is_first || usual_.size() % limits::stretch == 0 ? 1 : 0;
    return;
  }
  const std::size_t known = warned_since_ - std::min(warned_since_, usual_.gone());
  const bool is_old = known < limits::first_batches || usual_.size() > known + limits::most_batches;
  if (is_old || (known < usual_.size() && usual_.log_odds(known, wanted_shift) <= limits::refuted))
    end_warning();
}

bool CostChangeDetector::is_rival_better() {
  const double inflation = usual_.inflation();
  const auto batches = static_cast<double>(usual_.size());
  return PairedTest(usual_.mean(), usual_.variance() * inflation, batches,
                    (batches - 1) / inflation)
             .at_least(errors_.take(limits::error_of_batch)) > options_.tolerance;
}

void CostChangeDetector::change(Reason why) {
  changed_ = true;
  reason_ = why;
  rival_leads_ = why == Reason::rival_is_better || usual_.mean_since(changed_since_) > 0;
}

double CostChangeDetector::before() const {
  return std::exp(costs_.size() > 0 ? costs_.mean() : recent_);
}

double CostChangeDetector::now() const { return std::exp(recent_); }

} // namespace sartor
