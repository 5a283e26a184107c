// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/evidence/evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "explore/limits.h"

namespace sartor {

namespace {

/// Largest of what a block has done, as a share of what it does on the whole.
double largest_block(std::span<const Sample> samples, double size) {
  double largest = limits::most_of_a_block;
  for (const Sample &sample : samples)
    largest = std::max(largest, size > 0 ? std::fabs(sample.score) / size : 0);
  return largest;
}

} // namespace

Evidence::Evidence(const Objective &objective) {
  if (objective.kind == Objective::Kind::percentile)
    percentile_.emplace(objective.buckets.bounds, objective.percent / 100);
}

Evidence Evidence::of_bound(const Objective &objective, std::size_t bound) {
  Evidence evidence;
  evidence.bound_ = bound;
  evidence.is_most_ = objective.bounds[bound].is_most;
  evidence.is_share_ = objective.bounds[bound].of->kind == Objective::Kind::percentile;
  return evidence;
}

Sample Evidence::sample_of(const Trial &trial) const {
  if (!bound_)
    return {trial.score, trial.weight, trial.requests};
  // A share above a limit may be zero, so not one over it: less is more.
  const BoundReading &reading = trial.bounds.at(*bound_);
  return {is_most_ ? -reading.value : reading.value, reading.weight};
}

double Evidence::mean_of(std::span<const Sample> samples) const {
  return percentile_ ? percentile_->score_of(together(samples)) : sartor::mean_of(samples);
}

Total Evidence::total_of(std::span<const Sample> samples) const {
  return percentile_ ? percentile_->total_of(samples) : sartor::total_of(samples);
}

MeanInterval Evidence::interval_of(std::span<const Sample> samples,
                                   double error_probability) const {
  return sartor::interval_of(total_of(samples), error_probability);
}

std::optional<Evidence::Ahead> Evidence::ahead(std::span<const Sample> more,
                                               std::span<const Sample> than, double margin) const {
  const std::size_t count = more.size();
  Ahead ahead{.by = std::vector<double>(count)};
  if (percentile_) {
    const Requests ours = together(more), theirs = together(than);
    if (!percentile_->is_of_enough(ours) || !percentile_->is_of_enough(theirs))
      return std::nullopt;
    // A score that is higher by a margin is a percentile that is lower by it.
    const double by = 1 + margin;
    const double limit = percentile_->common_limit(ours, theirs, by);
    double all = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double n = number_of(more[i].requests), m = number_of(than[i].requests);
      ahead.by[i] = percentile_->above(than[i].requests, limit * by) * n -
                    percentile_->above(more[i].requests, limit) * m;
      all += n * m;
    }
    const double unit = all / static_cast<double>(count) * percentile_->tail();
    if (!(unit > 0))
      return std::nullopt;
    for (double &by_how_much : ahead.by)
      by_how_much /= unit;
    ahead.worst = limits::most_of_a_block / percentile_->tail();
    return ahead;
  }
  const double size = std::fabs(sartor::mean_of(than));
  double effort = 0;
  for (std::size_t i = 0; i < count; ++i)
    effort += more[i].weight * than[i].weight / static_cast<double>(count);
  if (!(size > 0) || !(effort > 0))
    return std::nullopt;
  // Weights stand crosswise: of totals, not of rates, is what the sum of these is above zero for.
  for (std::size_t i = 0; i < count; ++i)
    ahead.by[i] = (more[i].score - than[i].score - margin * size) * more[i].weight *
                  than[i].weight / (effort * size);
  ahead.worst = (1 + std::max(margin, 0.0)) * largest_block(than, size);
  if (is_share_)
    ahead.worst = std::max(ahead.worst, 1 / size);
  return ahead;
}

double Evidence::blocks_to_be_sure() const { return percentile_ ? 1 / percentile_->tail() : 0; }

} // namespace sartor
