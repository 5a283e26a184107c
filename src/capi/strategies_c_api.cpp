// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C interface: strategies without an explorer, for C programs that measure in their own way.
#include <sartor/c/explorer.h>

#include <memory>
#include <vector>

#include <sartor/fleet.hpp>
#include <sartor/race.hpp>
#include <sartor/strategies.hpp>

#include "base/text/value_json.h"
#include "capi/c_api.h"
#include "tuner/fleet/fleet_options.h"
#include "tuner/options.h"
#include "tuner/persistence/trial_json.h"

using sartor::guarded;
using sartor::need;
using sartor::or_throw;

struct sartor_strategy {
  std::unique_ptr<sartor::Strategy> strategy;
};

std::vector<sartor::Configuration> sartor::c_configurations(const char *json) {
  const auto listed = or_throw(parse_json(json));
  std::vector<Configuration> configurations;
  if (listed.is_array())
    for (const auto &one : listed)
      configurations.push_back(Configuration::from_json(dump(one)));
  if (configurations.empty())
    throw Error({ErrorCode::bad_json, "configurations", "is no list of configurations",
                 R"(write e.g. [{},{"B":16}])"});
  return configurations;
}

extern "C" {

sartor_status sartor_strategy_make(const char *name, const char *space, const char *options,
                                   sartor_strategy **out) {
  return guarded([&] {
    need(name, "name", space, "space", out, "out");

    *out = new sartor_strategy{sartor::make_strategy(
        name, sartor::SearchSpace::from_json(space),
        or_throw(sartor::search_options_from_json(options ? options : "{}")))};
  });
}

sartor_status sartor_strategy_race(const char *configurations, const char *options,
                                   sartor_strategy **out) {
  return guarded([&] {
    need(configurations, "configurations", out, "out");

    *out = new sartor_strategy{
        sartor::race(sartor::c_configurations(configurations),
                     or_throw(sartor::race_options_from_json(options ? options : "{}")))};
  });
}

sartor_status sartor_strategy_fleet(const sartor_runtime *runtime, const char *space,
                                    const char *options, sartor_strategy **out) {
  return guarded([&] {
    need(runtime, "runtime", space, "space", options, "options", out, "out");

    *out = new sartor_strategy{
        sartor::fleet_search(runtime->runtime, sartor::SearchSpace::from_json(space),
                             or_throw(sartor::fleet_options_from_json(options)))};
  });
}

size_t sartor_strategy_sample_count(const sartor_strategy *strategy) {
  return strategy ? strategy->strategy->sample_count() : 0;
}

sartor_status sartor_strategy_ask(sartor_strategy *strategy, char **configuration) {
  return guarded([&] {
    need(strategy, "strategy", configuration, "configuration");

    const auto asked = strategy->strategy->ask();
    *configuration = asked ? sartor::copy_for_c(asked->json()) : nullptr;
  });
}

sartor_status sartor_strategy_tell(sartor_strategy *strategy, const char *trial) {
  return guarded([&] {
    need(strategy, "strategy", trial, "trial");
    strategy->strategy->tell(
        or_throw(sartor::trial_from_json(or_throw(sartor::parse_json(trial)))));
  });
}

sartor_status sartor_strategy_best(sartor_strategy *strategy, char **decision) {
  return guarded([&] {
    need(strategy, "strategy", decision, "decision");
    *decision =
        sartor::copy_for_c(sartor::dump(sartor::decision_to_json(strategy->strategy->best())));
  });
}

void sartor_strategy_free(sartor_strategy *strategy) { delete strategy; }
}
