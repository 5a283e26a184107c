// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Sartor chooses the tiles of a simulation's loops: the study's figures, tables and data for its
/// plots.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <sartor/strategies.hpp>

#include "figures.h"
#include "files.h"
#include "problems.h"
#include "search.h"
#include "tuning.h"

namespace {

using sartor::bench::Interval;
using sartor::bench::Samples;

struct Arguments {
  std::filesystem::path folder = "build/studies/hydro";
  hydro::Index cells = 1024;
  std::size_t searches = 5;
  std::size_t trials = 20;
  std::size_t long_trials = 500;
  std::size_t pairs = 6;
  std::size_t rounds = 15;
};

/// Half a minute in all, to see that it works.
void be_quick(Arguments &arguments) {
  arguments.cells = 256;
  arguments.searches = 3;
  arguments.trials = 10;
  arguments.long_trials = 30;
  arguments.pairs = 2;
  arguments.rounds = 5;
}

/// Of several intervals, the one with the median value.
Interval middle(std::vector<Interval> intervals) {
  std::ranges::sort(intervals, {}, &Interval::value);
  return intervals[intervals.size() / 2];
}

struct Searches {
  std::vector<hydro::Search> sartor;
  std::vector<hydro::Search> random;
  hydro::LongSearch longest;
};

Searches search_all(hydro::Stand &stand, const sartor::SearchSpace &space,
                    const Arguments &arguments) {
  Searches all;
  for (std::size_t i = 0; i < arguments.searches; ++i) {
    const sartor::SearchOptions options{.most_trials = arguments.trials, .seed = i + 1};
    const auto strategy = sartor::separable_search(space, hydro::labels_of_loops(), options);
    all.sartor.push_back(search(stand, *strategy, arguments.pairs));
    all.random.push_back(search(stand, *sartor::random_search(space, options), arguments.pairs));
    std::printf("search %zu: %.2f times as fast as the default tiles, by random trials %.2f\n",
                i + 1, all.sartor.back().best.back(), all.random.back().best.back());
    std::fflush(stdout);
  }
  all.longest = long_search(stand, space, arguments.long_trials);
  return all;
}

struct Compared {
  std::vector<sartor::bench::Figure> figures{};
  const hydro::Search *typical = nullptr; ///< The median one of Sartor's.
  double longest = 1; ///< How many times as fast as the default tiles the long searches came to.
};

/// What the searches found, all measured again side by side.
Compared compare(hydro::Stand &stand, const Searches &searches, std::size_t rounds) {
  std::vector<sartor::Configuration> all{{}, searches.longest.of_all, searches.longest.of_random};
  for (std::size_t i = 0; i < searches.sartor.size(); ++i) {
    all.push_back(searches.sartor[i].chosen);
    all.push_back(searches.random[i].chosen);
  }
  const std::vector<Samples> ticks = stand.interleave(all, rounds);
  std::vector<Interval> over_default;
  std::vector<Interval> over_longest;
  std::vector<Interval> over_longest_random;
  std::vector<Interval> over_random;
  for (std::size_t i = 3; i < all.size(); i += 2) {
    over_default.push_back(sartor::bench::ratio(ticks[0], ticks[i]));
    over_longest.push_back(sartor::bench::ratio(ticks[1], ticks[i]));
    over_longest_random.push_back(sartor::bench::ratio(ticks[2], ticks[i]));
    over_random.push_back(sartor::bench::ratio(ticks[i], ticks[i + 1]));
  }
  Compared compared{.longest = sartor::bench::ratio(ticks[0], ticks[1]).value};
  const double median = middle(over_default).value;
  for (std::size_t i = 0; i < over_default.size(); ++i)
    if (over_default[i].value == median)
      compared.typical = &searches.sartor[i];
  using sartor::bench::at_least;
  compared.figures = {
      {"default_over_chosen", "ratio", middle(over_default), at_least(3)},
      {"best500_over_chosen", "ratio", middle(over_longest), at_least(0.97)},
      {"random500_over_chosen", "ratio", middle(over_longest_random)},
      {"chosen_over_random", "ratio", middle(over_random), sartor::bench::at_most(0.95)}};
  return compared;
}

void study(const Arguments &arguments) {
  std::filesystem::create_directories(arguments.folder);
  hydro::write_sod(arguments.folder);
  sartor::Options options;
  options.code_cache_bytes = 256U << 20;
  options.cache_directory = arguments.folder / "cache";
  options.quick_tier = false;
  sartor::Runtime runtime(options);
  if (!runtime.active())
    throw std::runtime_error("there is nothing to choose from with SARTOR=off");
  const sartor::SearchSpace space = hydro::tile_space(runtime);
  hydro::Stand stand(runtime, arguments.cells);
  std::printf("compiling 49 variants of each of %zu loops\n", hydro::kLoops);
  std::fflush(stdout);
  hydro::prepare_all(runtime);

  const Searches searches = search_all(stand, space, arguments);
  const Compared compared = compare(stand, searches, arguments.rounds);
  hydro::write_trials(arguments.folder, searches.sartor, searches.random, compared.longest);
  hydro::write_loops(arguments.folder, stand, compared.typical->chosen, arguments.rounds);
  report("hydro", compared.figures, arguments.folder);
}

} // namespace

int main(int count, char **values) {
  Arguments arguments;
  bool quick = false;
  CLI::App app("Chooses the tiles of a simulation's loops, and measures what that brings.");
  app.add_option("folder", arguments.folder, "Where figures and plot data go")
      ->capture_default_str();
  app.add_flag("--quick", quick, "A small grid and few trials: figures without meaning");
  CLI11_PARSE(app, count, values);
  if (quick)
    be_quick(arguments);
  try {
    study(arguments);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "hydro_study: %s\n", error.what());
    return 1;
  }
}
