// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_WATCH_BATCHES_H
#define SARTOR_TUNER_WATCH_BATCHES_H

#include <cstddef>
#include <deque>
#include <vector>

namespace sartor {

/// Means of batches of samples of a noisy quantity, in the order of time: what is usual of it, and
/// the evidence that it has moved up. Batches are correlated, by which is estimated too. A value.
class Batches {
public:
  /// `error` is how much of the probability of being wrong belongs to the question whether a change
  /// begins with this batch; see evidence().
  /// `level` is of what the quantity may depend on, as a logarithm: of the machine, that is.
  void add(double batch, double error = 0, double level = 0);
  [[nodiscard]] std::size_t size() const { return batches_.size(); }
  /// Zero while there are none.
  [[nodiscard]] double mean() const;
  /// Of a batch. Requires two.
  [[nodiscard]] double variance() const;
  /// By how much the variance of the mean is larger than if batches were independent: from how far
  /// the means of some batches in a row have been off ("batch means"; what was known before counts
  /// as some of those). At least 1.
  [[nodiscard]] double inflation() const;

  struct Evidence {
    /// The logarithm of the weighted sum of all e-values, one for each batch with which a change
    /// may have begun. Above 0 with no more than the sum of all `error`s as probability while
    /// nothing has changed, however long one looks.
    double alarm;
    /// Of the likeliest beginning, unweighted, as logarithm; and how many batches came before it.
    double strongest;
    std::size_t since;
  };
  /// Whether the mean has moved up by `shift` or more. Requires some batches.
  [[nodiscard]] Evidence evidence(double shift) const;
  /// The logarithm of the odds that what came after the first `known` batches is `shift` or more
  /// above those, rather than the same; requires two of them, and one more.
  [[nodiscard]] double log_odds(std::size_t known, double shift) const;
  /// Of what came after the first `known`; requires one.
  [[nodiscard]] double mean_since(std::size_t known) const { return sums(known, size()).mean(); }
  /// How many have gone since the beginning.
  [[nodiscard]] std::size_t gone() const { return gone_; }

private:
  struct Sums {
    double count = 0, sum = 0, squares = 0, levels = 0;
    [[nodiscard]] double level() const { return levels / count; }
    [[nodiscard]] double mean() const { return sum / count; }
    /// Of a batch; no machine is quieter than some.
    [[nodiscard]] double variance() const;
  };
  [[nodiscard]] Sums sums(std::size_t from, std::size_t to) const;
  [[nodiscard]] double inflation_of(const Sums &known, std::size_t from, std::size_t to) const;

  std::deque<double> batches_, errors_, levels_;
  std::vector<Sums> until_{{}}; ///< Of all batches before.
  std::size_t gone_ = 0;
};

} // namespace sartor

#endif
