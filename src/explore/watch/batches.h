// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_WATCH_BATCHES_H
#define SARTOR_EXPLORE_WATCH_BATCHES_H

#include <cstddef>
#include <deque>
#include <vector>

namespace sartor {

/// What is usual of a noisy quantity: means of batches of samples, taken in stretches of some
/// seconds. Batches of a stretch are correlated, by which is estimated too. A value.
class Batches {
public:
  void add(const std::vector<double> &stretch);
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Zero while there are none.
  [[nodiscard]] double mean() const;
  /// By how much the variance of a stretch's mean is larger than if its batches were independent:
  /// from how far the means of whole stretches have been off ("batch means"; what was known before
  /// counts as some stretches). At least 1.
  [[nodiscard]] double inflation() const;
  /// Of a batch. Requires two.
  [[nodiscard]] double variance() const;

  /// The logarithm of the odds that a new stretch's mean is `shift` or more above what is usual,
  /// rather than the same; variances are estimated from both (two samples, normal, of one unknown
  /// variance, whose scale is integrated out), which makes it a test by an e-value: it comes to
  /// exceed log(1 / error) with at most the probability `error` where nothing has changed, however
  /// often one looks. Requires two batches.
  [[nodiscard]] double log_odds(const std::vector<double> &stretch, double shift) const;

private:
  std::deque<std::vector<double>> stretches_;
  std::size_t size_ = 0;
};

} // namespace sartor

#endif
