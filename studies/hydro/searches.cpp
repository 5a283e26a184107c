// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "searches.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>

#include <sartor/strategies.hpp>

#include "program.h"
#include "tuning.h"

namespace hydro {

namespace {

/// Number of configurations that are measured again, and how often.
constexpr std::size_t kForemost = 16;
constexpr std::size_t kAgain = 9;

Search explore(sartor::Runtime &runtime, sartor::Explorer &explorer) {
  runtime.specialize({});
  const auto begin = std::chrono::steady_clock::now();
  Search found{explorer.explore().configuration, 0};
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%4.0f s: %s\n", found.seconds, found.chosen.text().c_str());
  std::fflush(stdout);
  return found;
}

} // namespace

std::vector<Search> search(sartor::Runtime &runtime, Index cells,
                           const sartor::ExplorerOptions &options, std::size_t searches) {
  const Program program(cells, entries(runtime));
  sartor::Explorer explorer(runtime, sartor::Objective::rate_of(program.iterations(), "iterations"),
                            options);
  std::vector<Search> found;
  while (found.size() < searches) // each exploration has a seed of its own
    found.push_back(explore(runtime, explorer));
  return found;
}

std::vector<Search> search_at_random(sartor::Runtime &runtime, Index cells,
                                     const sartor::ExplorerOptions &options, std::size_t searches) {
  const Program program(cells, entries(runtime));
  std::vector<Search> found;
  for (std::size_t seed = 1; seed <= searches; ++seed) {
    sartor::ExplorerOptions at_random = options;
    at_random.strategy = [&](const sartor::SearchSpace &space) {
      return sartor::random_search(space, {options.most_trials, seed});
    };
    sartor::Explorer explorer(
        runtime, sartor::Objective::rate_of(program.iterations(), "iterations"), at_random);
    found.push_back(explore(runtime, explorer));
  }
  return found;
}

sartor::Configuration best_of(Stand &stand, const sartor::SearchSpace &space, std::size_t most,
                              std::size_t rounds) {
  std::vector<sartor::Configuration> all = space.all();
  std::mt19937_64 generator(99);
  std::ranges::shuffle(all, generator);
  all.resize(std::min(most, all.size()));
  while (true) {
    const std::vector<sartor::bench::Samples> ticks =
        stand.interleave(all, all.size() > kForemost ? rounds : kAgain);
    if (all.size() <= kForemost)
      return all[sartor::bench::fastest(ticks)];
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < all.size(); ++i)
      order.emplace_back(sartor::bench::median(ticks[i]).value, i);
    std::ranges::sort(order);
    std::vector<sartor::Configuration> foremost;
    for (std::size_t i = 0; i < kForemost; ++i)
      foremost.push_back(all[order[i].second]);
    all = std::move(foremost);
  }
}

} // namespace hydro
