// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Sartor chooses how a simulation traverses its grid: the study's figures, tables and data
/// for its plots.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "compare.h"
#include "figures.h"
#include "files.h"
#include "searches.h"
#include "tuning.h"

namespace {

using sartor::bench::Samples;

struct Arguments {
  std::filesystem::path folder = "build/studies/hydro";
  hydro::Index cells = 1024;
  std::size_t searches = 3;
  std::size_t trials = 20;
  std::size_t configurations = 500;
  std::size_t rounds = 25;
};

/// Shortens the study to a minute or two, to check that it works.
void be_quick(Arguments &arguments) {
  arguments.cells = 128;
  arguments.searches = 2;
  arguments.trials = 8;
  arguments.configurations = 20;
  arguments.rounds = 5;
}

/// Measures plans from the program's own to the best one, changing one point after the other.
std::vector<hydro::Measured> steps_to_the_best() {
  std::vector<hydro::Measured> steps{
      {"untiled rows", {}, {}},
      {"32 x 32 tiles in each loop", hydro::same_tiles(hydro::kDefaultTile), {}}};
  hydro::Plan plan;
  const auto then = [&](const char *name) {
    steps.push_back({name, hydro::configuration_of(plan), {}});
  };
  plan.store = hydro::Store::exchanged;
  then("fields exchanged, not copied");
  plan.predict = plan.correct = plan.time_step = true;
  then("and neighbouring loops fused");
  plan.band = 16;
  then("and bands of 16 rows through all loops");
  plan.store = hydro::Store::in_place;
  then("and fields between of a few rows");
  return steps;
}

/// Measures the configurations that were found in interleaved rounds.
void compare(hydro::Stand &stand, const std::vector<hydro::Search> &chosen,
             const std::vector<hydro::Search> &at_random, const sartor::Configuration &best,
             const Arguments &arguments) {
  std::vector<hydro::Measured> plans = steps_to_the_best();
  const std::size_t best_at = plans.size();
  plans.push_back({"best of " + std::to_string(arguments.configurations), best, {}});
  for (std::size_t i = 0; i < chosen.size(); ++i)
    plans.push_back({"search " + std::to_string(i + 1), chosen[i].chosen, {}});
  for (std::size_t i = 0; i < at_random.size(); ++i)
    plans.push_back({"at random " + std::to_string(i + 1), at_random[i].chosen, {}});

  std::vector<sartor::Configuration> all;
  for (const hydro::Measured &plan : plans)
    all.push_back(plan.configuration);
  const std::vector<Samples> ticks = stand.interleave(all, arguments.rounds);
  for (std::size_t i = 0; i < plans.size(); ++i)
    plans[i].ticks = ticks[i];

  std::vector<Samples> rows;
  std::vector<Samples> tiles;
  std::vector<Samples> foremost;
  std::vector<Samples> random;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const Samples &found = ticks[best_at + 1 + i];
    rows.push_back(sartor::bench::ratios(ticks[0], found));
    tiles.push_back(sartor::bench::ratios(ticks[1], found));
    foremost.push_back(sartor::bench::ratios(ticks[best_at], found));
    random.push_back(sartor::bench::ratios(found, ticks[best_at + 1 + chosen.size() + i]));
  }
  hydro::write_plans(arguments.folder, plans);
  using hydro::over_searches;
  sartor::bench::report(
      {"hydro", SARTOR_BENCH_LIMITS},
      {{"rows_over_chosen", "ratio", over_searches(rows), sartor::bench::at_least(2)},
       {"best500_over_chosen", "ratio", over_searches(foremost), sartor::bench::at_least(0.97)},
       {"tiles_over_chosen", "ratio", over_searches(tiles)},
       {"chosen_over_random", "ratio", over_searches(random)}},
      arguments.folder);
}

void study(const Arguments &arguments) {
  std::filesystem::create_directories(arguments.folder);
  hydro::write_sod(arguments.folder);
  sartor::Options options;
  options.code_cache_bytes = 256U << 20;
  options.cache_directory = arguments.folder / "cache";
  options.event_log = arguments.folder / "events.jsonl";
  options.quick_tier = false; // only the final code is compared
  sartor::Runtime runtime(options);
  if (!runtime.active())
    throw std::runtime_error("there is nothing to choose from with SARTOR=off");
  const hydro::Grid grid(arguments.cells, arguments.cells, 1, 1);
  sartor::ExplorerOptions exploring = hydro::plan_options(runtime, grid);
  exploring.most_trials = arguments.trials;
  const sartor::SearchSpace space(runtime.space(), exploring.choices, exploring.unguarded);

  std::printf("compiling what %zu configurations need\n", space.all().size());
  std::fflush(stdout);
  hydro::prepare_all(runtime, space);

  std::puts("searches");
  const auto chosen = hydro::search(runtime, arguments.cells, exploring, arguments.searches);
  std::puts("searches at random");
  const auto at_random =
      hydro::search_at_random(runtime, arguments.cells, exploring, arguments.searches);
  std::printf("the best of %zu configurations\n", arguments.configurations);
  std::fflush(stdout);
  hydro::Stand stand(runtime, arguments.cells, hydro::kRows);
  const sartor::Configuration best = hydro::best_of(stand, space, arguments.configurations, 3);
  compare(stand, chosen, at_random, best, arguments);
}

} // namespace

int main(int count, char **values) {
  Arguments arguments;
  bool quick = false;
  CLI::App app("Chooses how a simulation goes through its grid, and measures what that brings.");
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
