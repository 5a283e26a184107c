// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C interface: explorers.
#include <sartor/c/explorer.h>

#include <cmath>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include <sartor/economy.hpp>
#include <sartor/explorer.hpp>
#include <sartor/fleet.hpp>

#include "base/text/value_json.h"
#include "capi/c_api.h"
#include "tuner/fleet/fleet_options.h"
#include "tuner/persistence/trial_json.h"

using sartor::guarded;
using sartor::need;
using sartor::or_throw;

struct sartor_explorer {
  sartor::Explorer explorer;
};

struct sartor_stop {
  std::stop_source source;
};

namespace {

/// Calls the program's functions and reads their results; a result that cannot be read is a
/// bad_strategy error.
class StrategyOfFunctions final : public sartor::Strategy {
public:
  StrategyOfFunctions(const sartor_strategy_functions &functions, const std::string &space)
      : functions_(functions), strategy_(functions.make(functions.user, space.c_str())) {
    if (!strategy_)
      bad("make", "returned null", "return a strategy");
  }
  ~StrategyOfFunctions() override {
    if (functions_.free && strategy_)
      functions_.free(strategy_);
  }
  StrategyOfFunctions(const StrategyOfFunctions &) = delete;
  StrategyOfFunctions &operator=(const StrategyOfFunctions &) = delete;

  std::optional<sartor::Configuration> ask() override {
    const char *text = functions_.ask(strategy_);
    if (!text)
      return std::nullopt;
    try {
      return sartor::Configuration::from_json(text);
    } catch (const sartor::Error &error) {
      bad("ask", error.failure().message, error.failure().remedy);
    }
  }
  void tell(const sartor::Trial &trial) override {
    functions_.tell(strategy_, sartor::dump(sartor::trial_to_json(trial)).c_str());
  }
  [[nodiscard]] sartor::Decision best() const override {
    const char *text = functions_.best(strategy_);
    if (!text)
      bad("best", "returned null", "return a decision");
    auto decision = sartor::decision_from_text(text);
    if (!decision)
      bad("best", decision.error().message, decision.error().remedy);
    return std::move(*decision);
  }
  [[nodiscard]] std::size_t sample_count() const override {
    return functions_.sample_count ? functions_.sample_count : Strategy::sample_count();
  }

private:
  [[noreturn]] static void bad(const char *function, std::string message, std::string remedy) {
    throw sartor::Error(
        {sartor::ErrorCode::bad_strategy, function, std::move(message), std::move(remedy)});
  }

  const sartor_strategy_functions functions_;
  void *const strategy_;
};

/// Removes "fleet" from `options`, which otherwise stay the same; returns nullopt if it is not
/// there.
std::optional<sartor::FleetOptions> take_fleet(std::string &options) {
  auto json = sartor::parse_json(options);
  if (!json || !json->is_object() || !json->contains("fleet"))
    return std::nullopt; // errors are reported by the function that reads the other options
  auto fleet = or_throw(sartor::fleet_options_from_json(sartor::dump(json->at("fleet"))));
  if (json->contains("strategy"))
    throw sartor::Error({sartor::ErrorCode::bad_objective, "fleet", "is given, and a strategy too",
                         "give one of them; fleet has \"alone\" for when it is lost"});
  json->erase("fleet");
  options = sartor::dump(*json);
  return fleet;
}

sartor::ExplorerOptions options_of(const char *given, const sartor_strategy_functions *functions,
                                   const sartor::Runtime &runtime) {
  std::string text = given ? given : "{}";
  const auto fleet = take_fleet(text);
  auto options = sartor::ExplorerOptions::from_json(text);
  if (fleet)
    options.strategy = [fleet = *fleet, &runtime](const sartor::SearchSpace &space) {
      return sartor::fleet_search(runtime, space, fleet);
    };
  if (!functions)
    return options;
  if (!functions->make || !functions->ask || !functions->tell || !functions->best)
    throw sartor::Error({sartor::ErrorCode::bad_strategy, "strategy", "lacks a function",
                         "give make, ask, tell and best"});
  if (options.strategy)
    throw sartor::Error({sartor::ErrorCode::bad_objective, fleet ? "fleet" : "strategy",
                         "is given in the options, and functions of a strategy too",
                         "give one of them"});
  options.strategy = [given = *functions](const sartor::SearchSpace &space) {
    return std::make_unique<StrategyOfFunctions>(given, space.json());
  };
  return options;
}

sartor::Explorer explorer_of(sartor_runtime *runtime, const sartor_objective *objective,
                             const char *options, const sartor_explorer_functions &functions) {
  auto how = options_of(options, functions.strategy, runtime->runtime);
  if (functions.signature)
    how.signature = [signature = functions.signature, user = functions.user] {
      const char *const name = signature(user);
      return std::string(name ? name : "");
    };
  return {runtime->runtime, objective_of(*objective), std::move(how)};
}

std::stop_token token_of(const sartor_stop *stop) {
  return stop ? stop->source.get_token() : std::stop_token();
}

char *text_of(const sartor::Decision &decision) {
  return sartor::copy_for_c(sartor::dump(sartor::decision_to_json(decision)));
}

} // namespace

extern "C" {

sartor_status sartor_explore(sartor_runtime *runtime, const sartor_objective *objective,
                             const char *options, const sartor_strategy_functions *strategy,
                             char **decision) {
  return guarded([&] {
    need(runtime, "runtime", objective, "objective", decision, "decision");
    *decision =
        text_of(explorer_of(runtime, objective, options, {strategy, nullptr, nullptr}).explore());
  });
}

sartor_status sartor_explorer_start(sartor_runtime *runtime, const sartor_objective *objective,
                                    const char *options, const sartor_strategy_functions *strategy,
                                    sartor_explorer **out) {
  return guarded([&] {
    need(runtime, "runtime", objective, "objective", out, "out");

    auto explorer = std::make_unique<sartor_explorer>(
        sartor_explorer{explorer_of(runtime, objective, options, {strategy, nullptr, nullptr})});
    explorer->explorer.start();
    *out = explorer.release();
  });
}

sartor_status sartor_explorer_decision(sartor_explorer *explorer, char **decision) {
  return guarded([&] {
    need(explorer, "explorer", decision, "decision");

    const auto made = explorer->explorer.decision();
    *decision = made ? text_of(*made) : nullptr;
  });
}

sartor_status sartor_explorer_stop(sartor_explorer *explorer) {
  return guarded([&] {
    need(explorer, "explorer");
    explorer->explorer.stop();
  });
}

void sartor_explorer_free(sartor_explorer *explorer) { delete explorer; }

sartor_status sartor_stop_make(sartor_stop **out) {
  return guarded([&] {
    need(out, "out");
    *out = new sartor_stop;
  });
}

sartor_status sartor_stop_request(sartor_stop *stop) {
  return guarded([&] {
    need(stop, "stop");
    stop->source.request_stop();
  });
}

void sartor_stop_free(sartor_stop *stop) { delete stop; }

sartor_status sartor_explorer_make(sartor_runtime *runtime, const sartor_objective *objective,
                                   const char *options, const sartor_explorer_functions *functions,
                                   sartor_explorer **out) {
  return guarded([&] {
    need(runtime, "runtime", objective, "objective", out, "out");
    *out = new sartor_explorer{explorer_of(runtime, objective, options,
                                           functions ? *functions : sartor_explorer_functions{})};
  });
}

sartor_status sartor_explorer_begin(sartor_explorer *explorer) {
  return guarded([&] {
    need(explorer, "explorer");
    explorer->explorer.start();
  });
}

sartor_status sartor_explorer_explore(sartor_explorer *explorer, const sartor_stop *stop,
                                      char **decision) {
  return guarded([&] {
    need(explorer, "explorer", decision, "decision");
    const auto made = explorer->explorer.explore(token_of(stop));
    *decision = made ? text_of(*made) : nullptr;
  });
}

size_t sartor_explorer_explorations(const sartor_explorer *explorer) {
  return explorer ? explorer->explorer.explorations() : 0;
}

sartor_status sartor_explorer_space(const sartor_explorer *explorer, char **space) {
  return guarded([&] {
    need(explorer, "explorer", space, "space");
    *space = sartor::copy_for_c(explorer->explorer.space().json());
  });
}

sartor_status sartor_explorer_options(char **json) {
  return guarded([&] {
    need(json, "json");
    *json = sartor::copy_for_c(sartor::ExplorerOptions::describe());
  });
}

sartor_status sartor_quasi_invariant_weigh(sartor_runtime *runtime,
                                           const sartor_quasi_invariant *quasi_invariant,
                                           const sartor_objective *objective, const char *options,
                                           double leave_alone_for, char **economy) {
  return sartor_quasi_invariant_weigh_until(runtime, quasi_invariant, objective, options,
                                            leave_alone_for, nullptr, economy);
}

sartor_status sartor_quasi_invariant_weigh_until(sartor_runtime *runtime,
                                                 const sartor_quasi_invariant *quasi_invariant,
                                                 const sartor_objective *objective,
                                                 const char *options, double leave_alone_for,
                                                 const sartor_stop *stop, char **economy) {
  return guarded([&] {
    need(runtime, "runtime", quasi_invariant, "quasi_invariant", objective, "objective", economy,
         "economy");
    sartor::EconomyOptions how;
    if (options)
      how.windows = sartor::ExplorerOptions::from_json(options);
    if (std::isnan(leave_alone_for))
      throw sartor::Error({sartor::ErrorCode::bad_objective, "leave_alone_for", "is no number",
                           "give seconds, or zero to leave nothing alone"});
    how.leave_alone_for = sartor::c_duration(leave_alone_for); // weigh() refuses what is too long
    const sartor::Economy found = sartor::weigh(runtime->runtime, *quasi_invariant->quasi_invariant,
                                                objective_of(*objective), how, token_of(stop));
    *economy = sartor::copy_for_c(found.json());
  });
}

sartor_status sartor_search_space(sartor_runtime *runtime, const char *options, char **space) {
  return guarded([&] {
    need(runtime, "runtime", space, "space");

    const auto read = options_of(options, nullptr, runtime->runtime);
    const sartor::SearchSpace made(runtime->runtime.space(), read.choices, read.unguarded);
    *space = sartor::copy_for_c(made.json());
  });
}
}
