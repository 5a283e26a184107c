// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_EXACT_H
#define SARTOR_BENCH_NOISE_EXACT_H

#include <cmath>
#include <cstddef>
#include <utility>

namespace sartor::bench {

/// Returns the number from `low` to `high` at which a decreasing function falls to `level`.
template <class Function>
double where_it_falls_to(double level, double low, double high, const Function &function) {
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (function(middle) > level ? low : high) = middle;
  }
  return low;
}

/// Returns the probability of at most `count` events where `mean` are expected.
inline double poisson_at_most(std::size_t count, double mean) {
  double sum = 0;
  for (std::size_t i = 0; i <= count; ++i)
    sum += std::exp(static_cast<double>(i) * std::log(mean) - mean -
                    std::lgamma(static_cast<double>(i) + 1));
  return sum;
}

/// Returns the probability of at most `count` of `of` events, each with probability `p`.
inline double binomial_at_most(std::size_t count, std::size_t of, double p) {
  const auto n = static_cast<double>(of);
  double sum = 0;
  for (std::size_t i = 0; i <= count; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(p) + (n - k) * std::log1p(-p));
  }
  return sum;
}

/// Returns the 95 % confidence interval of the mean after `count` events: exact (F. Garwood,
/// "Fiducial Limits for the Poisson Distribution", Biometrika 28, 1936).
inline std::pair<double, double> poisson_interval(std::size_t count) {
  const double most = 10 + 4 * static_cast<double>(count);
  return {
      count == 0 ? 0
                 : where_it_falls_to(0.975, 0, most,
                                     [&](double mean) { return poisson_at_most(count - 1, mean); }),
      where_it_falls_to(0.025, 0, most, [&](double mean) { return poisson_at_most(count, mean); })};
}

/// Returns the 95 % confidence interval of a probability after `count` of `of` events: exact (C. J.
/// Clopper and E. S. Pearson, Biometrika 26, 1934).
inline std::pair<double, double> binomial_interval(std::size_t count, std::size_t of) {
  return {count == 0
              ? 0
              : where_it_falls_to(0.975, 0, 1,
                                  [&](double p) { return binomial_at_most(count - 1, of, p); }),
          count == of ? 1 : where_it_falls_to(0.025, 0, 1, [&](double p) {
            return binomial_at_most(count, of, p);
          })};
}

} // namespace sartor::bench

#endif
