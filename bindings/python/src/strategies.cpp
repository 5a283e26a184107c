// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bind.h"

#include <nanobind/stl/unique_ptr.h>

#include <sartor/fleet.hpp>
#include <sartor/race.hpp>
#include <sartor/strategies.hpp>

namespace sartor::python {

namespace {

using Make = std::unique_ptr<Strategy> (*)(const SearchSpace &, SearchOptions);

void bind(nb::module_ &module, const char *name, Make make, const char *doc) {
  module.def(
      name,
      [make](const SearchSpace &space, std::size_t most_trials, std::uint64_t seed) {
        return make(space, {most_trials, seed});
      },
      nb::arg("space"), nb::arg("most_trials") = SearchOptions().most_trials,
      nb::arg("seed") = SearchOptions().seed, doc);
}

void bind_fleet(nb::module_ &module) {
  const FleetOptions defaults;
  module.def(
      "fleet_search",
      [](const Runtime &runtime, const SearchSpace &space, const std::filesystem::path &socket,
         const std::string &study, const std::string &replica, const std::string &sampler,
         std::size_t most_trials, std::uint64_t seed) {
        FleetOptions options;
        options.socket = socket;
        options.study = study;
        options.replica = replica;
        options.sampler = sampler;
        options.most_trials = most_trials;
        options.seed = seed;
        return fleet_search(runtime, space, std::move(options));
      },
      nb::keep_alive<0, 1>(), nb::arg("runtime"), nb::arg("space"), nb::arg("socket"),
      nb::arg("study"), nb::kw_only(), nb::arg("replica") = "",
      nb::arg("sampler") = defaults.sampler, nb::arg("most_trials") = defaults.most_trials,
      nb::arg("seed") = defaults.seed,
      "A strategy that shares its trials with other replicas of the program, through the sidecar "
      "(package `sartor-sidecar`) that listens on `socket`. Continues alone if the sidecar or its "
      "store is lost.");
}

} // namespace

void bind_strategies(nb::module_ &module) {
  bind(module, "exhaustive_search", &exhaustive_search,
       "Tries each configuration once, in order. Raises Error (bad_objective) for more than 4096.");
  bind(module, "random_search", &random_search, "Tries random configurations, none of them twice.");
  bind(module, "local_search", &local_search,
       "Changes the best so far in one point; starts again near it if no change is better.");
  module.def(
      "make_strategy",
      [](const std::string &name, const SearchSpace &space, std::size_t most_trials,
         std::uint64_t seed) { return make_strategy(name, space, {most_trials, seed}); },
      nb::arg("name"), nb::arg("space"), nb::arg("most_trials") = SearchOptions().most_trials,
      nb::arg("seed") = SearchOptions().seed,
      R"(By name: "exhaustive", "random", "race", "local".)");
  module.def(
      "race",
      [](std::vector<Configuration> candidates, double error_probability, double tolerance,
         std::size_t most_samples, std::uint64_t seed) {
        if (candidates.empty())
          throw nb::value_error("a race needs candidates");
        RaceOptions options;
        options.error_probability = error_probability;
        options.tolerance = tolerance;
        options.most_samples = most_samples;
        options.seed = seed;
        return race(std::move(candidates), options);
      },
      nb::arg("candidates"), nb::arg("error_probability") = RaceOptions().error_probability,
      nb::arg("tolerance") = RaceOptions().tolerance,
      nb::arg("most_samples") = RaceOptions().most_samples, nb::arg("seed") = RaceOptions().seed,
      "All candidates in interleaved rounds, compared pairwise within rounds; drops surely worse "
      "ones. Its choice is worse than the best by more than `tolerance` (a share of its score) "
      "with at most `error_probability`.");
  bind_fleet(module);
}

} // namespace sartor::python
