// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_EVIDENCE_EVIDENCE_H
#define SARTOR_TUNER_EVIDENCE_EVIDENCE_H

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <sartor/objective.hpp>
#include <sartor/strategy.hpp>

#include "tuner/evidence/bet.h"
#include "tuner/evidence/percentile.h"
#include "tuner/evidence/totals.h"

namespace sartor {

/// The quantity by which trials are compared: work by effort; a percentile of all requests; several
/// of these, by the product of their scores; or, if no configuration keeps a bound, how far the
/// bound is exceeded. A value type; the objective that it is made of must outlive it.
class Evidence {
public:
  /// Compares scores as they are.
  Evidence() = default;
  /// Compares by the objective.
  explicit Evidence(const Objective &objective);
  /// Compares by one of the objective's bounds.
  static Evidence of_bound(const Objective &objective, std::size_t bound);

  /// True if a bound is compared, which no configuration keeps.
  [[nodiscard]] bool is_of_bound() const { return bound_.has_value(); }
  /// True if means of scores are compared.
  [[nodiscard]] bool is_of_means() const { return !percentile_ && parts_.empty(); }
  /// True if a percentile is part of it, so that a few requests are not enough.
  [[nodiscard]] bool has_percentile() const;
  [[nodiscard]] Sample sample_of(const Trial &trial) const;
  /// Score of all samples together; higher is better. 0 without samples.
  [[nodiscard]] double mean_of(std::span<const Sample> samples) const;
  /// Score of all samples and its influences, which are empty if there are too few data.
  [[nodiscard]] Total total_of(std::span<const Sample> samples) const;
  /// As interval_of() in totals.h. Requires at least one sample.
  [[nodiscard]] MeanInterval interval_of(std::span<const Sample> samples,
                                         double error_probability) const;
  /// By how much `ours` are above `theirs`, as a share of theirs, from samples of the same rounds.
  /// The interval holds at all numbers of samples at once; it is infinite if there are too few
  /// data.
  [[nodiscard]] Estimate gain(std::span<const Sample> ours, std::span<const Sample> theirs,
                              double error_probability) const;

  /// A bet that `more` is ahead of `than` by more than `margin`, a share of the score of `than`.
  /// Every future sample may be as bad as possible. Samples are of the same rounds. Empty if there
  /// are too few data.
  [[nodiscard]] std::optional<Bet> ahead(std::span<const Sample> more, std::span<const Sample> than,
                                         double margin) const;
  /// Number of independent blocks without a bad event that prove, for each unit of log odds, that
  /// the worst possible event is too rare to matter.
  [[nodiscard]] double blocks_to_be_sure() const;

private:
  /// One quantity of several.
  struct Part {
    std::optional<Percentile> percentile;
    double share;
  };

  [[nodiscard]] std::optional<Bet>
  ahead_by_parts(std::span<const Sample> more, std::span<const Sample> than, double margin) const;

  std::optional<Percentile> percentile_;
  std::vector<Part> parts_; ///< Quantities of a weighted objective.
  std::optional<std::size_t> bound_;
  bool is_most_ = false, is_share_ = false; ///< Properties of the bound.
};

} // namespace sartor

#endif
