// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <string>

#include <sartor/error.hpp>
#include <sartor/race.hpp>
#include <sartor/strategies.hpp>

namespace sartor {

namespace {

std::unique_ptr<Strategy> race_over(const SearchSpace &space, SearchOptions options) {
  RaceOptions of_race;
  of_race.seed = options.seed;
  return race(space.all(), of_race);
}

struct Named {
  std::string_view name;
  std::unique_ptr<Strategy> (*make)(const SearchSpace &, SearchOptions);
};
constexpr std::array<Named, 5> strategies{{{"exhaustive", exhaustive_search},
                                           {"random", random_search},
                                           {"race", race_over},
                                           {"coordinate", coordinate_search},
                                           {"bandits", factorised_bandits}}};

} // namespace

std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchSpace &space,
                                        SearchOptions options) {
  std::string names;
  for (const Named &strategy : strategies) {
    if (strategy.name == name)
      return strategy.make(space, options);
    names += (names.empty() ? "" : ", ") + std::string(strategy.name);
  }
  throw Error(
      {ErrorCode::bad_objective, std::string(name), "is no strategy", "take one of: " + names});
}

} // namespace sartor
