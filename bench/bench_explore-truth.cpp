// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether an exploration's choice is right where the truth is known: programs in a time of their
/// own (test/explore/worlds.h) with all kinds of trouble. Strategy, race, confirmation, meter and
/// budget are the real ones, options the defaults, but for the error.
///
/// A choice is wrong if it is worse than the best by more than the tolerance and the explorer says
/// that it is sure; `undecided`, where what was in force stays, is shown beside it. Strategies that
/// do not try all that there is cannot know of the best: theirs are wrong if they are worse than
/// what was in force. `gain off`: the truth is outside of the interval of the gain.

#include <cstdio>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <sartor/strategies.hpp>

#include "../test/explore/worlds.h"
#include "figures.h"

namespace sartor::bench {

const char *const bench_name = "explore-truth";

namespace {

struct Counts {
  std::size_t runs = 0, wrong = 0, undecided = 0, off = 0;
  double seconds = 0, lost = 0; ///< Sums.
};

using IsWrong = bool (*)(const worlds::Outcome &, double tolerance);

Counts count(const worlds::Cell &cell, ExplorerOptions options, std::size_t runs,
             IsWrong is_wrong) {
  Counts counts{.runs = runs};
  for (std::size_t run = 1; run <= runs; ++run) {
    const auto world = cell.make(run);
    const auto outcome = worlds::explore(*world, options, run);
    const bool is_sure = outcome.verdict != Verdict::undecided;
    counts.wrong += is_sure && is_wrong(outcome, options.tolerance);
    counts.undecided += !is_sure;
    counts.off += !outcome.gain_is_true;
    counts.seconds += outcome.seconds;
    counts.lost += outcome.lost;
  }
  return counts;
}

/// A table of all cells; the worst of them.
Interval worst_of(const std::vector<worlds::Cell> &cells, const ExplorerOptions &options,
                  std::size_t runs, IsWrong is_wrong) {
  std::printf("%-50s %8s %10s %10s %8s %8s\n", "", "wrong", "undecided", "gain off", "seconds",
              "lost");
  Interval worst{-1, 0, 0};
  for (const worlds::Cell &cell : cells) {
    const Counts counts = count(cell, options, runs, is_wrong);
    const double of = static_cast<double>(runs);
    const Interval wrong = wilson(static_cast<double>(counts.wrong) / of, of);
    std::printf("%-50s %7.1f%% %9.1f%% %9.1f%% %8.2f %7.1f%%\n", cell.name.c_str(),
                100 * wrong.value, 100 * static_cast<double>(counts.undecided) / of,
                100 * static_cast<double>(counts.off) / of, counts.seconds / of,
                100 * counts.lost / of);
    std::fflush(stdout);
    if (wrong.value > worst.value)
      worst = wrong;
  }
  return {100 * worst.value, 100 * worst.low, 100 * worst.high};
}

bool is_worse_than_best(const worlds::Outcome &outcome, double tolerance) {
  return outcome.chosen < (1 - tolerance) * outcome.best;
}
bool is_worse_than_before(const worlds::Outcome &outcome, double tolerance) {
  return outcome.chosen < (1 - tolerance) * outcome.incumbent;
}

} // namespace

std::vector<Figure> measure() {
  std::vector<Figure> figures;
  for (const auto &[suffix, error, runs] :
       {std::tuple("1", 0.01, 500), std::tuple("5", 0.05, 300)}) {
    std::printf("\nall configurations raced, error %s %%, %d runs each\n", suffix, runs);
    ExplorerOptions options;
    options.error_probability = error;
    figures.push_back({std::string("worst_wrong_") + suffix, "%",
                       worst_of(worlds::cells(), options, runs, is_worse_than_best),
                       at_most(100 * error)});
  }
  using Make = std::unique_ptr<Strategy> (*)(const SearchSpace &, SearchOptions);
  for (const auto &[name, make] : {std::pair<const char *, Make>("local", local_search),
                                   {"random", random_search}}) {
    std::printf("\nstrategy %s, error 5 %%, 100 runs each; wrong: worse than what was in force\n",
                name);
    ExplorerOptions options;
    options.strategy = [make, most = options.most_trials](const SearchSpace &space) {
      return make(space, {most, 1});
    };
    figures.push_back({std::string("worst_wrong_") + name, "%",
                       worst_of(worlds::wide_cells(), options, 100, is_worse_than_before),
                       at_most(100 * options.error_probability)});
  }
  return figures;
}

} // namespace sartor::bench
