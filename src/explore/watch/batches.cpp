// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/watch/batches.h"

#include <algorithm>
#include <cmath>

#include "explore/watch/limits.h"

namespace sartor {

namespace {

/// Which is proof enough, and no overflow.
constexpr double most_log_odds = 300;

} // namespace

void Batches::add(const std::vector<double> &stretch) {
  if (stretch.empty())
    return;
  stretches_.push_back(stretch);
  size_ += stretch.size();
  while (stretches_.size() > 1 && size_ - stretches_.front().size() >= limits::batches_kept) {
    size_ -= stretches_.front().size();
    stretches_.pop_front();
  }
}

double Batches::mean() const {
  double sum = 0;
  for (const auto &stretch : stretches_)
    for (const double batch : stretch)
      sum += batch;
  return size_ == 0 ? 0 : sum / static_cast<double>(size_);
}

double Batches::variance() const {
  const double center = mean();
  double squares = 0;
  for (const auto &stretch : stretches_)
    for (const double batch : stretch)
      squares += (batch - center) * (batch - center);
  return std::max(squares / static_cast<double>(size_ - 1),
                  limits::least_deviation * limits::least_deviation);
}

double Batches::inflation() const {
  const double center = mean(), of_one = variance();
  double sum = limits::prior_stretches * limits::prior_inflation;
  double count = limits::prior_stretches;
  for (const auto &stretch : stretches_) {
    double off = 0;
    for (const double batch : stretch)
      off += batch - center;
    sum += off * off / static_cast<double>(stretch.size()) / of_one;
    ++count;
  }
  return std::max(sum / count, 1.0);
}

double Batches::log_odds(const std::vector<double> &stretch, double shift) const {
  const double center = mean();
  const double scale = variance() * inflation();
  const auto known = static_cast<double>(size_);
  const auto fresh = static_cast<double>(stretch.size());
  // All counts are of independent batches.
  const double freedom = known - 1;
  const auto misfit = [&](double by) {
    double sum = 0, squares = 0;
    for (const double batch : stretch) {
      const double off = batch - center - by;
      sum += off;
      squares += off * off;
    }
    return (squares - sum * sum / (known + fresh)) / scale;
  };
  // Larger shifts are expected, too: an e-value may be shared out over them.
  const double none = misfit(0), size = (freedom + fresh / inflation()) / 2;
  double odds = 0, share = 1, by = shift;
  while (by < limits::largest_shift) {
    share /= 2;
    odds += share * std::exp(std::min(size * std::log((freedom + none) / (freedom + misfit(by))),
                                      most_log_odds));
    by *= 2;
  }
  return std::log(odds);
}

} // namespace sartor
