// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the gain of programs by sartor-ld: the CPU time (user and system, as the kernel
/// counts it) of a program for fixed work, started by the stock loader and by sartor-ld. The work
/// is in ld_apps.cpp.
///
/// The runs of a round share one processor, in the scheduler's time slices of some milliseconds, so
/// that longer disturbances slow all of them down equally. Runs of one program immediately after
/// one another differ by more than sartor-ld changes.
///
/// Plans are cached, but made again a few times, because the physical position of a plan's pages
/// has an effect of its own.

#include <algorithm>
#include <random>

#include "ld.h"
#include "ld_apps.h"

namespace sartor::bench {

const char *const bench_name = "ld-apps";

namespace {

constexpr std::size_t kPlans = 4;

} // namespace

std::vector<Figure> measure() {
  const Place place;
  const std::vector<Way> ways{kStock, kNone, kBoth};
  std::vector<Figure> figures;
  std::vector<Samples> gains;
  std::vector<Figure> rest;
  std::mt19937_64 random(3); // NOLINT(*-random-generator-seed): runs can be repeated
  for (const App &app : prepare_apps(place)) {
    std::vector<std::function<double()>> alternatives;
    for (const Way &way : ways)
      alternatives.emplace_back([&, way] { return app.cpu_milliseconds(way); });
    const std::size_t rounds_each = std::max<std::size_t>(1, rounds(32) / kPlans);
    std::vector<Samples> times(ways.size());
    for (std::size_t plan = 0; plan < kPlans; ++plan) {
      place.forget_plans();
      const auto more = simultaneous_samples(alternatives, rounds_each, random);
      for (std::size_t i = 0; i < times.size(); ++i)
        times[i].insert(times[i].end(), more[i].begin(), more[i].end());
    }
    gains.push_back(ratios(times[0], times[2]));
    figures.push_back({.name = "stock_over_both_" + app.name,
                       .unit = "ratio",
                       .measured = ratio(times[0], times[2]),
                       .goal = at_least(0.995)});
    rest.push_back({.name = "stock_over_none_" + app.name,
                    .unit = "ratio",
                    .measured = ratio(times[0], times[1])});
    rest.push_back({.name = "stock_ms_" + app.name, .unit = "ms", .measured = median(times[0])});
  }
  figures.insert(figures.begin(), {.name = "stock_over_both_mean",
                                   .unit = "ratio",
                                   .measured = over_all(gains, geometric_mean),
                                   .goal = at_least(1.04),
                                   .paper = 1.037});
  figures.insert(figures.begin() + 1,
                 {.name = "stock_over_both_max",
                  .unit = "ratio",
                  .measured = over_all(gains,
                                       [](const std::vector<double> &values) {
                                         return *std::ranges::max_element(values);
                                       }),
                  .paper = 1.18});
  figures.insert(figures.end(), rest.begin(), rest.end());
  return figures;
}

} // namespace sartor::bench
