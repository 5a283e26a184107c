// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/evidence/evidence.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/evidence/paired_test.h"
#include "tuner/limits.h"

namespace sartor {

namespace {

/// Largest score of a block, as a share of the overall score.
double largest_block(std::span<const Sample> samples, double size) {
  double largest = limits::most_of_a_block;
  for (const Sample &sample : samples)
    largest = std::max(largest, size > 0 ? std::fabs(sample.score) / size : 0);
  return largest;
}

std::optional<Percentile> percentile_of(const Objective &objective) {
  if (objective.kind != Objective::Kind::percentile)
    return std::nullopt;
  return Percentile(objective.buckets.bounds, objective.percent / 100);
}

/// Samples of one quantity.
std::vector<Sample> samples_of(std::span<const Sample> samples, std::size_t quantity) {
  std::vector<Sample> of;
  of.reserve(samples.size());
  for (const Sample &sample : samples) {
    const QuantitySample &measured = sample.quantities.at(quantity);
    of.push_back({measured.value, measured.weight, measured.requests});
  }
  return of;
}

double mean_by(const std::optional<Percentile> &percentile, std::span<const Sample> samples) {
  return percentile ? percentile->score_of(together(samples)) : mean_of(samples);
}

Total total_by(const std::optional<Percentile> &percentile, std::span<const Sample> samples) {
  return percentile ? percentile->total_of(samples) : total_of(samples);
}

/// Largest amount that one block may subtract from the total of `more` and add to that of `than`,
/// as a share of each.
double reach(const std::optional<Percentile> &percentile, std::span<const Sample> more,
             std::span<const Sample> than) {
  if (!percentile)
    return largest_block(than, mean_of(than));
  return limits::most_of_a_block * (1 - percentile->tail()) * percentile->slope(together(more)) +
         percentile->tail() * percentile->slope(together(than));
}

} // namespace

Evidence::Evidence(const Objective &objective) {
  for (const Quantity &quantity : objective.quantities)
    parts_.push_back({sartor::percentile_of(*quantity.of), quantity.share});
  if (parts_.empty())
    percentile_ = sartor::percentile_of(objective);
}

bool Evidence::has_percentile() const {
  return percentile_ ||
         std::ranges::any_of(parts_, [](const Part &part) { return part.percentile.has_value(); });
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
    return {trial.score, trial.weight, trial.requests, trial.quantities};
  // A share above a limit may be zero, so its reciprocal is no score; the negated share is.
  const BoundSample &measured = trial.bounds.at(*bound_);
  return {is_most_ ? -measured.value : measured.value, measured.weight};
}

double Evidence::mean_of(std::span<const Sample> samples) const {
  if (parts_.empty())
    return mean_by(percentile_, samples);
  double product = 1;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    product *= std::pow(std::max(mean_by(parts_[i].percentile, samples_of(samples, i)), 0.0),
                        parts_[i].share);
  return product;
}

Total Evidence::total_of(std::span<const Sample> samples) const {
  if (parts_.empty())
    return total_by(percentile_, samples);
  Total total{.mean = mean_of(samples)};
  if (!(total.mean > 0))
    return total;
  std::vector<double> influences(samples.size());
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Total of = total_by(parts_[i].percentile, samples_of(samples, i));
    if (of.influences.empty())
      return total;
    for (std::size_t j = 0; j < influences.size(); ++j)
      influences[j] += total.mean * parts_[i].share * of.influences[j] / of.mean;
  }
  total.influences = std::move(influences);
  return total;
}

MeanInterval Evidence::interval_of(std::span<const Sample> samples,
                                   double error_probability) const {
  return sartor::interval_of(total_of(samples), error_probability);
}

Estimate Evidence::gain(std::span<const Sample> ours, std::span<const Sample> theirs,
                        double error_probability) const {
  Estimate found = PairedTest(total_of(ours), total_of(theirs)).estimate(error_probability);
  found.windows = ours.size();
  return found;
}

std::optional<Bet> Evidence::ahead(std::span<const Sample> more, std::span<const Sample> than,
                                   double margin) const {
  if (!parts_.empty())
    return ahead_by_parts(more, than, margin);
  const std::size_t count = more.size();
  Bet ahead{.by = std::vector<double>(count)};
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
    ahead.each = ahead.by;
    ahead.worst = limits::most_of_a_block / percentile_->tail();
    return ahead;
  }
  const double size = std::fabs(sartor::mean_of(than));
  double effort = 0;
  for (std::size_t i = 0; i < count; ++i)
    effort += more[i].weight * than[i].weight / static_cast<double>(count);
  if (!(size > 0) || !(effort > 0))
    return std::nullopt;
  // The weights are multiplied crosswise, so that the sum is positive exactly if the totals (not
  // the rates) differ by more than the margin.
  ahead.each.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    ahead.each[i] = (more[i].score - than[i].score - margin * size) / size;
    ahead.by[i] = ahead.each[i] * more[i].weight * than[i].weight / effort;
  }
  // A score that is not negative can at most cancel the work of the other; a cost is bounded only
  // by the values seen so far.
  const bool are_costs = sartor::mean_of(than) < 0 || sartor::mean_of(more) < 0;
  const double largest =
      std::max(largest_block(than, size), are_costs ? largest_block(more, size) : 0);
  ahead.worst = (1 + std::max(margin, 0.0)) * largest;
  if (is_share_)
    ahead.worst = std::max(ahead.worst, 1 / size);
  return ahead;
}

/// Uses the contribution of each block to the product of the scores. Percentiles are otherwise
/// compared by shares of requests, which have no common unit with gains.
std::optional<Bet> Evidence::ahead_by_parts(std::span<const Sample> more,
                                            std::span<const Sample> than, double margin) const {
  const Total ours = total_of(more), theirs = total_of(than);
  if (ours.influences.empty() || theirs.influences.empty())
    return std::nullopt;
  const double ratio = ours.mean / theirs.mean, gain = ratio - 1;
  Bet ahead{.by = std::vector<double>(more.size())};
  for (std::size_t i = 0; i < more.size(); ++i)
    ahead.by[i] = gain - margin + (ours.influences[i] - ratio * theirs.influences[i]) / theirs.mean;
  ahead.each = ahead.by;
  double farthest = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    farthest +=
        parts_[i].share * reach(parts_[i].percentile, samples_of(more, i), samples_of(than, i));
  ahead.worst = ratio * farthest + std::max(margin - gain, 0.0);
  return ahead;
}

double Evidence::blocks_to_be_sure() const {
  double blocks = percentile_ ? 1 / percentile_->tail() : 0;
  for (const Part &part : parts_)
    blocks = std::max(blocks, part.percentile ? 1 / part.percentile->tail() : 0);
  return blocks;
}

} // namespace sartor
