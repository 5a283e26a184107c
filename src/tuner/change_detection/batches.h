// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CHANGE_DETECTION_BATCHES_H
#define SARTOR_TUNER_CHANGE_DETECTION_BATCHES_H

#include <cstddef>
#include <deque>
#include <vector>

namespace sartor {

/// Means of batches of samples of a noisy quantity in order of time: the usual level, and the
/// evidence that it has moved up. Batches are correlated; the correlation is estimated too. A value
/// type.
class Batches {
public:
  /// `error` is the share of the error probability spent on the hypothesis that a change begins
  /// with this batch; see evidence(). `level` is the logarithm of a covariate that the quantity may
  /// depend on: the speed of the machine.
  void add(double batch, double error = 0, double level = 0);
  [[nodiscard]] std::size_t size() const { return batches_.size(); }
  /// Mean of all batches; zero if there are none.
  [[nodiscard]] double mean() const;
  /// Variance of a batch. Requires two batches.
  [[nodiscard]] double variance() const;
  /// Factor by which the variance of the mean exceeds that of independent batches, estimated from
  /// the spread of the means of several consecutive batches ("batch means"); the prior counts as
  /// some of those. At least 1.
  [[nodiscard]] double inflation() const;

  struct Evidence {
    /// Logarithm of the weighted sum of all e-values, one for each batch with which a change may
    /// have begun. While nothing has changed, the probability that this is ever above 0 is at most
    /// the sum of all `error`s, however long one looks.
    double alarm;
    /// Unweighted e-value of the likeliest beginning, as a logarithm, and the number of batches
    /// before it.
    double strongest;
    std::size_t since;
  };
  /// Evidence that the mean has moved up by `shift` or more. Requires some batches.
  [[nodiscard]] Evidence evidence(double shift) const;
  /// Log odds that the batches after the first `known` are higher by `shift` or more, rather than
  /// the same. Requires two known batches and one more.
  [[nodiscard]] double log_odds(std::size_t known, double shift) const;
  /// Mean of the batches after the first `known`. Requires one.
  [[nodiscard]] double mean_since(std::size_t known) const { return sums(known, size()).mean(); }
  /// Number of batches that were removed since the beginning.
  [[nodiscard]] std::size_t gone() const { return gone_; }

private:
  struct Sums {
    double count = 0, sum = 0, squares = 0, levels = 0;
    [[nodiscard]] double level() const { return levels / count; }
    [[nodiscard]] double mean() const { return sum / count; }
    /// Variance of a batch, with a lower limit: no machine is quieter than that.
    [[nodiscard]] double variance() const;
  };
  [[nodiscard]] Sums sums(std::size_t from, std::size_t to) const;
  [[nodiscard]] double inflation_of(const Sums &known, std::size_t from, std::size_t to) const;

  std::deque<double> batches_, errors_, levels_;
  std::vector<Sums> until_{{}}; ///< Sums of all earlier batches.
  std::size_t gone_ = 0;
};

} // namespace sartor

#endif
