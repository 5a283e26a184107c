// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EVIDENCE_EVIDENCE_H
#define SARTOR_TUNER_EVIDENCE_EVIDENCE_H

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <sartor/objective.hpp>
#include <sartor/strategy.hpp>

#include "tuner/evidence/percentile.h"
#include "tuner/evidence/totals.h"

namespace sartor {

/// What trials are compared by: work by effort; a percentile of all requests; several of these, by
/// the product of their scores; or, where nothing keeps a bound, by how much the bound is broken. A
/// value; an objective that it is made of must outlive it.
class Evidence {
public:
  /// Scores as they are.
  Evidence() = default;
  /// What an objective declares.
  explicit Evidence(const Objective &objective);
  /// One of its bounds instead, whatever the objective.
  static Evidence of_bound(const Objective &objective, std::size_t bound);

  /// Whether it is a bound that is compared, which nothing keeps.
  [[nodiscard]] bool is_of_bound() const { return bound_.has_value(); }
  /// Whether what is compared is a mean of scores.
  [[nodiscard]] bool is_of_means() const { return !percentile_ && parts_.empty(); }
  /// Whether a few requests say little of it.
  [[nodiscard]] bool has_percentile() const;
  [[nodiscard]] Sample sample_of(const Trial &trial) const;
  /// Of all together; higher is better. 0 where there is nothing.
  [[nodiscard]] double mean_of(std::span<const Sample> samples) const;
  /// Without influences where there is too little to say anything.
  [[nodiscard]] Total total_of(std::span<const Sample> samples) const;
  /// As interval_of() in totals.h. Requires at least one sample.
  [[nodiscard]] MeanInterval interval_of(std::span<const Sample> samples,
                                         double error_probability) const;

  /// Numbers whose mean is above zero if `more` is ahead of `than` by more than `margin`, a share
  /// of what that has, and which are never less than -`worst`: of what has not been seen yet, all
  /// may be as bad as it can be. Samples are of the same rounds.
  struct Ahead {
    std::vector<double> by;
    double worst = 1;
  };
  /// Nothing where there is too little to say anything.
  [[nodiscard]] std::optional<Ahead> ahead(std::span<const Sample> more,
                                           std::span<const Sample> than, double margin) const;
  /// How many independent blocks without anything bad it takes until something as bad as may be is
  /// known to be too rare to matter, for each unit of log odds.
  [[nodiscard]] double blocks_to_be_sure() const;

private:
  /// A quantity of several.
  struct Part {
    std::optional<Percentile> percentile;
    double share;
  };

  [[nodiscard]] std::optional<Ahead>
  ahead_by_parts(std::span<const Sample> more, std::span<const Sample> than, double margin) const;

  std::optional<Percentile> percentile_;
  std::vector<Part> parts_; ///< Of a weighted objective.
  std::optional<std::size_t> bound_;
  bool is_most_ = false, is_share_ = false; ///< Of the bound.
};

} // namespace sartor

#endif
