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
constexpr std::array<Named, 4> strategies{{{"exhaustive", exhaustive_search},
                                           {"random", random_search},
                                           {"race", race_over},
                                           {"local", local_search}}};
/// Removed names, and their replacements.
struct Gone {
  std::string_view name;
  const char *remedy;
};
constexpr std::array<Gone, 2> gone{{{"coordinate", "take \"local\""},
                                    {"bandits", "take \"local\", or none: an explorer explores "
                                                "points of different handlers apart"}}};

} // namespace

std::unique_ptr<Strategy> make_strategy(std::string_view name, const SearchSpace &space,
                                        SearchOptions options) {
  std::string names;
  for (const Named &strategy : strategies) {
    if (strategy.name == name)
      return strategy.make(space, options);
    names += (names.empty() ? "" : ", ") + std::string(strategy.name);
  }
  for (const Gone &strategy : gone)
    if (strategy.name == name)
      throw Error({ErrorCode::bad_objective, std::string(name), "is no strategy any more",
                   strategy.remedy});
  throw Error(
      {ErrorCode::bad_objective, std::string(name), "is no strategy", "take one of: " + names});
}

} // namespace sartor
