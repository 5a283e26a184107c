// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/change_detection/batches.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuner/limits.h"

namespace sartor {

void Batches::add(double batch, double error, double level) {
  batches_.push_back(batch);
  errors_.push_back(error);
  levels_.push_back(level);
  // Only whole stretches are removed, so that the remaining stretches stay the same.
  if (batches_.size() >= limits::batches_kept + limits::stretch) {
    batches_.erase(batches_.begin(), batches_.begin() + limits::stretch);
    errors_.erase(errors_.begin(), errors_.begin() + limits::stretch);
    levels_.erase(levels_.begin(), levels_.begin() + limits::stretch);
    gone_ += limits::stretch;
  }
  until_.assign(1, {});
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    Sums next = until_.back();
    ++next.count;
    next.sum += batches_[i];
    next.squares += batches_[i] * batches_[i];
    next.levels += levels_[i];
    until_.push_back(next);
  }
}

Batches::Sums Batches::sums(std::size_t from, std::size_t to) const {
  return {until_[to].count - until_[from].count, until_[to].sum - until_[from].sum,
          until_[to].squares - until_[from].squares, until_[to].levels - until_[from].levels};
}

double Batches::Sums::variance() const {
  return std::max((squares - sum * sum / count) / (count - 1),
                  limits::least_deviation * limits::least_deviation);
}

double Batches::mean() const { return batches_.empty() ? 0 : until_.back().mean(); }

double Batches::variance() const { return until_.back().variance(); }

double Batches::inflation() const { return inflation_of(until_.back(), 0, size()); }

double Batches::inflation_of(const Sums &known, std::size_t from, std::size_t to) const {
  const double center = known.mean(), of_one = known.variance();
  double sum = limits::prior_stretches * limits::prior_inflation;
  double count = limits::prior_stretches;
  for (std::size_t end = from + limits::stretch; end <= to; end += limits::stretch) {
    const double off = sums(end - limits::stretch, end).sum - limits::stretch * center;
    sum += off * off / limits::stretch / of_one;
    ++count;
  }
  return std::max(sum / count, 1.0);
}

/// Log odds of a shift between two normal samples with one unknown variance; scale and mean are
/// integrated out.
double Batches::log_odds(std::size_t known, double shift) const {
  const Sums before = sums(0, known), after = sums(known, size());
  const double inflation = inflation_of(before, 0, known);
  const double all = before.count + after.count;
  double scale = before.variance() * inflation;
  // A change of the machine may by itself have moved the two samples apart.
  const double moved =
      limits::sensitivity *
      std::max(std::fabs(after.level() - before.level()) - limits::same_machine, 0.0);
  scale += moved * moved * before.count * after.count / all;
  // All counts are of independent batches.
  const double freedom = before.count - 1;
  const double center = before.mean();
  const auto misfit = [&](double by) {
    const double sum = after.sum - after.count * (center + by);
    const double squares =
        after.squares - 2 * (center + by) * after.sum + after.count * (center + by) * (center + by);
    return (squares - sum * sum / all) / scale;
  };
  // Larger shifts are tested as well: an e-value may be a mixture over them.
  const double none = misfit(0), size = (freedom + after.count / inflation) / 2;
  double odds = 0, share = 1, by = shift;
  while (by < limits::largest_shift) {
    share /= 2;
    odds += share * std::exp(std::min(size * std::log((freedom + none) / (freedom + misfit(by))),
                                      limits::most_log_odds));
    by *= 2;
  }
  return std::log(odds);
}

Batches::Evidence Batches::evidence(double shift) const {
  Evidence result{.alarm = -std::numeric_limits<double>::infinity(),
                  .strongest = -std::numeric_limits<double>::infinity(),
                  .since = size()};
  double sum = 0;
  const std::size_t oldest = size() - std::min(size(), limits::most_batches);
  for (std::size_t known = std::max(limits::first_batches, oldest); known < size(); ++known) {
    const double odds = log_odds(known, shift);
    sum += errors_[known] * std::exp(odds);
    if (odds > result.strongest)
      result = {.alarm = 0, .strongest = odds, .since = known};
  }
  result.alarm = std::log(sum);
  return result;
}

} // namespace sartor
