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

/// Ticks of the time-stamp counter, read when all that came before is done. They pass at a constant
/// rate, which need not be the core's: compare them with each other only.
std::uint64_t ticks();

/// One of several ways to do the same work.
struct Alternative {
  std::string name;
  std::function<void()> run;
  /// Called before each run, outside of the time that is taken.
  std::function<void()> prepare = [] {};
};

/// Samples of one alternative, one for each round. Those of one round were taken right after one
/// another, so that what slows the machine down for longer slows all alternatives down alike.
using Samples = std::vector<double>;

/// Runs all alternatives `rounds` times, in another random order each round. Gives the ticks that
/// each run took, in the order of `alternatives`. One round more is run first and not counted.
std::vector<Samples> interleave(const std::vector<Alternative> &alternatives, std::size_t rounds);

/// The median, with a bootstrap interval.
Interval median(const Samples &samples);
/// The median of the ratios of two alternatives' samples, round by round.
Interval ratio(const Samples &over, const Samples &under);
/// The median of their differences, each divided by `calls`.
Interval difference(const Samples &more, const Samples &less, double calls);

/// Several programs' medians, one of each, as `combine` makes one number of them; drawn again by
/// rounds.
Interval over_all(const std::vector<Samples> &programs,
                  const std::function<double(const std::vector<double> &)> &combine);
double geometric_mean(const std::vector<double> &values);
/// What the rounds' ratios are.
Samples ratios(const Samples &over, const Samples &under);

/// The index of the alternative with the smallest median.
std::size_t fastest(const std::vector<Samples> &samples);

/// Keeps the compiler from forgetting how a value came about.
template <class T> void keep(T &value) { asm volatile("" : "+r,m"(value) : : "memory"); }

} // namespace sartor::bench

#endif
