// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explorers and strategies, for C.
#include <sartor/explorer.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sartor/economy.hpp>
#include <sartor/explorer.hpp>
#include <sartor/strategies.hpp>

#include "explore/keep/trial_json.h"
#include "explore/options.h"
#include "runtime/facts_c_api.h"
#include "value/value_json.h"

using sartor::guarded;
using sartor::need;
using sartor::or_throw;

struct sartor_explorer {
  sartor::Explorer explorer;
};

struct sartor_histogram {
  sartor::Histogram histogram;
};

struct sartor_strategy {
  std::unique_ptr<sartor::Strategy> strategy;
};

namespace {

std::string or_default(const char *text, const char *otherwise) { return text ? text : otherwise; }

std::function<double()> bound(double (*function)(void *), void *user) {
  if (!function)
    return {};
  return [function, user] { return function(user); };
}

sartor::Objective percentile_of(const sartor_objective &given) {
  const double percent = given.percent == 0 ? 99 : given.percent;
  const std::string name = or_default(given.name, "latency");
  if (given.histogram)
    return sartor::Objective::percentile_of(given.histogram->histogram, percent, name);
  sartor::Buckets buckets;
  if (given.bounds)
    buckets.bounds.assign(given.bounds, given.bounds + given.bound_count);
  if (given.counts)
    buckets.counts = [counts = given.counts, user = given.user, count = given.bound_count + 1] {
      std::vector<std::uint64_t> now(count);
      counts(user, now.data());
      return now;
    };
  return sartor::Objective::percentile_of(std::move(buckets), percent, name,
                                          or_default(given.unit, "s"));
}

sartor::Objective objective_of(const sartor_objective &given);

sartor::Objective weighted(const sartor_objective &given) {
  std::vector<sartor::Weighted> members;
  for (std::size_t i = 0; i < given.weighted_count; ++i) {
    if (!given.weighted[i].of)
      throw sartor::Error({sartor::ErrorCode::bad_objective, "weighted", "a weight is of nothing",
                           "give sartor_weighted::of"});
    members.push_back({objective_of(*given.weighted[i].of), given.weighted[i].weight});
  }
  return sartor::Objective::weighted(members);
}

sartor::Objective unbounded(const sartor_objective &given) {
  using Kind = sartor::Objective::Kind;
  using Direction = sartor::Objective::Direction;
  if (given.kind == SARTOR_PERCENTILE)
    return percentile_of(given);
  if (given.kind == SARTOR_CALL)
    return sartor::Objective::cost_of_call(or_default(given.handler, ""));
  if (given.kind == SARTOR_WEIGHTED)
    return weighted(given);
  sartor::Objective objective;
  objective.kind = given.kind == SARTOR_COUNTER ? Kind::counter
                   : given.kind == SARTOR_RATIO ? Kind::ratio
                                                : Kind::gauge;
  objective.direction =
      given.lower_is_better ? Direction::lower_is_better : Direction::higher_is_better;
  objective.read = bound(given.read, given.user);
  objective.per = bound(given.per, given.user);
  objective.cost = bound(given.cost, given.user);
  objective.name = or_default(given.name, "objective");
  objective.unit = or_default(given.unit, given.kind == SARTOR_COUNTER ? "1/s" : "");
  return objective;
}

sartor::Objective objective_of(const sartor_objective &given) {
  sartor::Objective objective = unbounded(given);
  for (std::size_t i = 0; i < given.subject_to_count; ++i) {
    const sartor_bound &bound = given.subject_to[i];
    if (!bound.of)
      throw sartor::Error({sartor::ErrorCode::bad_objective, "subject_to", "a bound is of nothing",
                           "give sartor_bound::of"});
    sartor::Limits limits;
    if (bound.least != 0)
      limits.least = bound.least;
    if (bound.most != 0)
      limits.most = bound.most;
    objective = objective.subject_to(unbounded(*bound.of), limits);
  }
  return objective;
}

/// What the program's functions return is read here; what cannot be is bad_strategy.
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
  [[nodiscard]] std::size_t slices() const override {
    return functions_.slices ? functions_.slices : Strategy::slices();
  }

private:
  [[noreturn]] static void bad(const char *function, std::string message, std::string remedy) {
    throw sartor::Error(
        {sartor::ErrorCode::bad_strategy, function, std::move(message), std::move(remedy)});
  }

  const sartor_strategy_functions functions_;
  void *const strategy_;
};

sartor::ExplorerOptions options_of(const char *text, const sartor_strategy_functions *functions) {
  auto options = sartor::ExplorerOptions::from_json(or_default(text, "{}"));
  if (!functions)
    return options;
  if (!functions->make || !functions->ask || !functions->tell || !functions->best)
    throw sartor::Error({sartor::ErrorCode::bad_strategy, "strategy", "lacks a function",
                         "give make, ask, tell and best"});
  options.strategy = [given = *functions](const sartor::SearchSpace &space) {
    return std::make_unique<StrategyOfFunctions>(given, space.json());
  };
  return options;
}

sartor::Explorer explorer_of(sartor_runtime *runtime, const sartor_objective *objective,
                             const char *options, const sartor_strategy_functions *strategy) {
  return {runtime->runtime, objective_of(*objective), options_of(options, strategy)};
}

char *text_of(const sartor::Decision &decision) {
  return sartor::copy_for_c(sartor::dump(sartor::decision_to_json(decision)));
}

} // namespace

extern "C" {

sartor_histogram *sartor_histogram_make() {
  try {
    return new sartor_histogram;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

void sartor_histogram_record(sartor_histogram *histogram, uint64_t nanoseconds) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  histogram->histogram.record(
      std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(nanoseconds, most))));
}

void sartor_histogram_free(sartor_histogram *histogram) { delete histogram; }

sartor_status sartor_explore(sartor_runtime *runtime, const sartor_objective *objective,
                             const char *options, const sartor_strategy_functions *strategy,
                             char **decision) {
  return guarded([&] {
    need(runtime, "runtime");
    need(objective, "objective");
    need(decision, "decision");
    *decision = text_of(explorer_of(runtime, objective, options, strategy).explore());
  });
}

sartor_status sartor_explorer_start(sartor_runtime *runtime, const sartor_objective *objective,
                                    const char *options, const sartor_strategy_functions *strategy,
                                    sartor_explorer **out) {
  return guarded([&] {
    need(runtime, "runtime");
    need(objective, "objective");
    need(out, "out");

    auto explorer = std::make_unique<sartor_explorer>(
        sartor_explorer{explorer_of(runtime, objective, options, strategy)});
    explorer->explorer.start();
    *out = explorer.release();
  });
}

sartor_status sartor_explorer_decision(sartor_explorer *explorer, char **decision) {
  return guarded([&] {
    need(explorer, "explorer");
    need(decision, "decision");

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

sartor_status sartor_weigh_fact(sartor_runtime *runtime, const sartor_fact *fact,
                                const sartor_objective *objective, const char *options,
                                double leave_alone_for, char **economy) {
  return guarded([&] {
    need(runtime, "runtime");
    need(fact, "fact");
    need(objective, "objective");
    need(economy, "economy");
    sartor::EconomyOptions how;
    if (options)
      how.windows = sartor::ExplorerOptions::from_json(options);
    how.leave_alone_for = std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(leave_alone_for));
    const sartor::Economy found =
        sartor::weigh(runtime->runtime, *fact->fact, objective_of(*objective), how);
    *economy = sartor::copy_for_c(found.json());
  });
}

sartor_status sartor_search_space(sartor_runtime *runtime, const char *options, char **space) {
  return guarded([&] {
    need(runtime, "runtime");
    need(space, "space");

    const auto read = options_of(options, nullptr);
    const sartor::SearchSpace made(runtime->runtime.space(), read.choices, read.unguarded);
    *space = sartor::copy_for_c(made.json());
  });
}

sartor_status sartor_strategy_make(const char *name, const char *space, const char *options,
                                   sartor_strategy **out) {
  return guarded([&] {
    need(name, "name");
    need(space, "space");
    need(out, "out");

    *out = new sartor_strategy{sartor::make_strategy(
        name, sartor::SearchSpace::from_json(space),
        or_throw(sartor::search_options_from_json(or_default(options, "{}"))))};
  });
}

sartor_status sartor_strategy_ask(sartor_strategy *strategy, char **configuration) {
  return guarded([&] {
    need(strategy, "strategy");
    need(configuration, "configuration");

    const auto asked = strategy->strategy->ask();
    *configuration = asked ? sartor::copy_for_c(asked->json()) : nullptr;
  });
}

sartor_status sartor_strategy_tell(sartor_strategy *strategy, const char *trial) {
  return guarded([&] {
    need(strategy, "strategy");
    need(trial, "trial");
    strategy->strategy->tell(or_throw(sartor::trial_from_text(trial)));
  });
}

sartor_status sartor_strategy_best(sartor_strategy *strategy, char **decision) {
  return guarded([&] {
    need(strategy, "strategy");
    need(decision, "decision");
    *decision = text_of(strategy->strategy->best());
  });
}

void sartor_strategy_free(sartor_strategy *strategy) { delete strategy; }
}
