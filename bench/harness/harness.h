// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_HARNESS_H
#define SARTOR_BENCH_HARNESS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "figures.h"

namespace sartor::bench {

/// Returns the time-stamp counter, read after all previous instructions have completed. Ticks pass
/// at a constant rate, which may differ from the core's: compare them with one another only.
std::uint64_t ticks();

/// One of several ways to do the same work.
struct Alternative {
  std::string name;
  std::function<void()> run;
  /// Called before each run, outside of the measured time.
  std::function<void()> prepare = [] {};
};

/// Samples of one alternative, one for each round. Samples of one round are taken immediately after
/// one another, so that longer disturbances slow all alternatives down equally.
using Samples = std::vector<double>;

/// Runs all alternatives `rounds` times, in another random order each round. Returns the ticks of
/// each run, in the order of `alternatives`. A first round is run and not counted.
std::vector<Samples> interleave(const std::vector<Alternative> &alternatives, std::size_t rounds);

/// Returns `samples` without a constant cost that each of them includes, the median of `constant`.
/// Empty if the rest is less than five times the uncertainty of the two medians: the work is too
/// short to measure, and a quotient of such rests would be noise.
Samples without(const Samples &samples, const Samples &constant);

/// Returns the median, with a bootstrap interval; Interval::too_short() of no samples.
Interval median(const Samples &samples);
/// Returns the median of the ratios of two alternatives' samples, round by round.
Interval ratio(const Samples &over, const Samples &under);
/// Returns the median of the differences, each divided by `calls`.
Interval difference(const Samples &more, const Samples &less, double calls);

/// Returns a number that `combine` computes from the medians of several programs, with a bootstrap
/// interval over rounds.
Interval over_all(const std::vector<Samples> &programs,
                  const std::function<double(const std::vector<double> &)> &combine);
double mean(const std::vector<double> &values);
double geometric_mean(const std::vector<double> &values);
double least(const std::vector<double> &values);
/// Returns the ratios of the rounds.
Samples ratios(const Samples &over, const Samples &under);

/// Returns the index of the alternative with the smallest median.
std::size_t fastest(const std::vector<Samples> &samples);

/// Prevents the compiler from using its knowledge of a value.
template <class T> void keep(T &value) { asm volatile("" : "+r,m"(value) : : "memory"); }

} // namespace sartor::bench

#endif
