// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures whether an exploration's choice is correct where the truth is known: simulated
/// programs with their own clock (test/explore/worlds.h) and various disturbances. Strategy, race,
/// confirmation, meter and budget are the real ones, with the default options except for the error.
///
/// A choice is wrong if it is worse than the best by more than the tolerance and the explorer
/// reports that it is sure; `undecided`, where the previously active configuration stays, is shown
/// separately. Strategies that do not try all configurations cannot know the best one: their choice
/// is wrong if it is worse than the previously active configuration. `gain off`: the truth is
/// outside of the interval of the gain.
///
/// The printed tables are those of docs/performance.md.
///
/// Optuna's strategy (TPE) and a fleet of three replicas propose through the sidecar with a Redis
/// behind it, as in programs; trials and decisions use the simulated clocks.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <sartor/explorer.hpp>
#include <sartor/strategies.hpp>

#include "../test/explore/tails.h"
#include "../test/explore/worlds.h"
#include "../test/sidecar.h"
#include "../test/store.h"
#include "figures.h"
#include "tuner/fleet/fleet.h"

namespace sartor::bench {

const char *const bench_name = "explore-truth";

namespace {

using namespace std::chrono_literals;

/// The programs' simulated time passes faster than the sidecar's: no trial is given up because of
/// it.
constexpr auto kPatience = 120s;
constexpr double kMoreTraffic = 1.5;

/// A program with more traffic than another: all its variants have `times` times the throughput.
class Busier final : public worlds::World {
public:
  Busier(std::unique_ptr<World> world, double times) : world_(std::move(world)), times_(times) {}

  [[nodiscard]] const std::vector<double> &truth() const override { return world_->truth(); }
  Step step(std::size_t variant) override {
    Step step = world_->step(variant);
    step.work *= times_;
    return step;
  }

private:
  const std::unique_ptr<World> world_;
  const double times_;
};

/// Explorations with the strategy of a fleet: proposals of Optuna's TPE from a sidecar, with a
/// private Redis behind it.
class TruthFleet {
public:
  /// Throws std::runtime_error if the sidecar's Python packages are not available.
  TruthFleet() {
    if (sidecar_.is_missing())
      throw std::runtime_error("the sidecar's Python packages cannot be had");
  }

  /// Explores with `replicas` replicas that share a study with one budget of trials; each has its
  /// own clock and noise, and 1.5 times the traffic of the one before.
  std::vector<worlds::Outcome> explore(const worlds::Cell &cell, const ExplorerOptions &options,
                                       std::uint64_t seed, std::size_t replicas);

private:
  testing_aids::Store store_;
  std::filesystem::path socket_ = store_.directory() / "sidecar";
  testing_aids::Sidecar sidecar_{store_.address(), socket_};
  std::size_t studies_ = 0;
};

std::vector<worlds::Outcome> TruthFleet::explore(const worlds::Cell &cell,
                                                 const ExplorerOptions &options, std::uint64_t seed,
                                                 std::size_t replicas) {
  std::vector<worlds::Outcome> outcomes(replicas);
  FleetOptions fleet{.socket = socket_,
                     .study = "truth " + std::to_string(++studies_),
                     .most_trials = options.most_trials,
                     .seed = seed,
                     .patience = kPatience};
  const auto log = [](std::string_view event, std::string_view fields) {
    if (event == "fleet_lost") // the strategy was not a fleet
      std::printf("fleet_lost: %.*s\n", static_cast<int>(fields.size()), fields.data());
  };
  const auto replica = [&](std::size_t i) {
    FleetOptions own = fleet;
    own.replica = std::to_string(i);
    ExplorerOptions how = options;
    how.strategy = [&](const SearchSpace &space) {
      return std::make_unique<FleetSearch>(space, own, "truth", log);
    };
    // The same variants, in the same order.
    Busier world(cell.make(seed), std::pow(kMoreTraffic, static_cast<double>(i)));
    for (std::size_t step = 0; step < 1000 * i; ++step)
      world.step(0); // but at another moment
    outcomes[i] = worlds::explore(world, how, seed + 1'000'003 * i);
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < replicas; ++i)
    threads.emplace_back(replica, i);
  threads.clear();
  return outcomes;
}

struct Counts {
  std::size_t runs = 0, wrong = 0, undecided = 0, off = 0;
  double seconds = 0, lost = 0; ///< Sums.
};

using IsWrong = bool (*)(const worlds::Outcome &, double tolerance);

/// Returns the outcome of one run; of each replica, if there are several.
using Run = std::function<std::vector<worlds::Outcome>(const worlds::Cell &, std::uint64_t seed)>;

Run one_program(const ExplorerOptions &options) {
  return [options](const worlds::Cell &cell, std::uint64_t seed) {
    const auto world = cell.make(seed);
    return std::vector{worlds::explore(*world, options, seed)};
  };
}

Counts count(const worlds::Cell &cell, const Run &explore, std::size_t runs, IsWrong is_wrong) {
  Counts counts;
  for (std::size_t run = 1; run <= runs; ++run)
    for (const worlds::Outcome &outcome : explore(cell, run)) {
      const bool is_sure = outcome.verdict != Verdict::undecided;
      ++counts.runs;
      counts.wrong += is_sure && is_wrong(outcome, ExplorerOptions().tolerance);
      counts.undecided += !is_sure;
      counts.off += !outcome.gain_is_true;
      counts.seconds += outcome.seconds;
      counts.lost += outcome.lost;
    }
  return counts;
}

/// `runs` explorations of each program.
struct Series {
  std::string name;
  Run explore;
  std::size_t runs;
  double error; ///< The stated error.
};

Interval wrong_of(const Counts &counts) {
  const auto of = static_cast<double>(counts.runs);
  return wilson(static_cast<double>(counts.wrong) / of, of);
}

/// Prints a table of all programs, and adds the worst result of each series as a figure. The last
/// columns describe explorations of the last series.
void tabulate(std::vector<Figure> &figures, const std::vector<worlds::Cell> &cells,
              const std::vector<Series> &all, IsWrong is_wrong) {
  std::string header = "\n| program |", rule = "|---|";
  for (const Series &series : all) {
    header += " " + series.name + ": wrong | undecided |";
    rule += "---|---|";
  }
  std::printf("%s gain off | seconds, work lost |\n%s---|---|\n", header.c_str(), rule.c_str());
  std::vector<Interval> worst(all.size(), {-1, 0, 0});
  for (const worlds::Cell &cell : cells) {
    std::printf("| %s |", cell.name.c_str());
    Counts counts;
    for (std::size_t i = 0; i < all.size(); ++i) {
      counts = count(cell, all[i].explore, all[i].runs, is_wrong);
      const Interval wrong = wrong_of(counts);
      std::printf(" %.1f %% | %.1f %% |", 100 * wrong.value,
                  100 * static_cast<double>(counts.undecided) / static_cast<double>(counts.runs));
      std::fflush(stdout);
      if (wrong.value > worst[i].value)
        worst[i] = wrong;
    }
    const auto of = static_cast<double>(counts.runs);
    std::printf(" %.1f %% | %.1f s, %.1f %% |\n", 100 * static_cast<double>(counts.off) / of,
                counts.seconds / of, 100 * counts.lost / of);
    std::fflush(stdout);
  }
  for (std::size_t i = 0; i < all.size(); ++i)
    figures.push_back({"worst_wrong_" + all[i].name,
                       "%",
                       {100 * worst[i].value, 100 * worst[i].low, 100 * worst[i].high},
                       at_most(100 * all[i].error)});
}

bool is_worse_than_best(const worlds::Outcome &outcome, double tolerance) {
  return outcome.chosen < (1 - tolerance) * outcome.best;
}
bool is_worse_than_before(const worlds::Outcome &outcome, double tolerance) {
  return outcome.chosen < (1 - tolerance) * outcome.incumbent;
}

/// True if a sure choice is wrong. Without a bound: its percentile is worse than the best by more
/// than the tolerance. With a bound: it exceeds the bound although another variant keeps it, or is
/// reported to keep it, or its rate is worse than the best that keeps it.
bool is_wrong(const tails::Server &server, bool is_bounded, const tails::Outcome &outcome,
              double tolerance) {
  const auto &variants = server.variants;
  const tails::Variant &chosen = variants[outcome.chosen];
  const bool is_sure = outcome.decision.verdict != Verdict::undecided;
  if (!is_bounded)
    return is_sure && (1 - tolerance) * chosen.p99() >
                          std::ranges::min(variants, {}, &tails::Variant::p99).p99();
  const auto keeps = [](const tails::Variant &variant) {
    return variant.share_above(tails::most) <= 0.01;
  };
  if (outcome.decision.keeps_bounds && !keeps(chosen))
    return true;
  double best = 0, least = 1;
  for (const tails::Variant &variant : variants) {
    best = std::max(best, keeps(variant) ? variant.rate : 0);
    least = std::min(least, variant.share_above(tails::most));
  }
  if (best == 0)
    return is_sure && chosen.share_above(tails::most) > (1 + tolerance) * least;
  return is_sure && (!keeps(chosen) || chosen.rate < (1 - tolerance) * best);
}

/// Returns the worst result of all servers, and prints a table of them.
Interval worst_of(const std::vector<tails::Server> &servers, bool is_bounded,
                  const ExplorerOptions &options, std::size_t runs) {
  std::printf("%-50s %8s %10s %12s %8s\n", "", "wrong", "undecided", "above limit", "seconds");
  Interval worst{-1, 0, 0};
  const auto of = static_cast<double>(runs);
  for (const tails::Server &server : servers) {
    double wrongs = 0, undecided = 0, above = 0, seconds = 0;
    for (std::size_t run = 1; run <= runs; ++run) {
      const auto outcome = tails::explore(server, is_bounded, options, run);
      wrongs += is_wrong(server, is_bounded, outcome, options.tolerance);
      undecided += outcome.decision.verdict == Verdict::undecided;
      above += outcome.above;
      seconds += outcome.seconds;
    }
    const Interval wrong = wilson(wrongs / of, of);
    std::printf("%-50s %7.1f%% %9.1f%% %11.2f%% %8.1f\n", server.name.c_str(), 100 * wrong.value,
                100 * undecided / of, 100 * above / of, seconds / of);
    std::fflush(stdout);
    if (wrong.value > worst.value)
      worst = wrong;
  }
  return {100 * worst.value, 100 * worst.low, 100 * worst.high};
}

} // namespace

std::vector<Figure> measure() {
  std::vector<Figure> figures;
  const ExplorerOptions defaults;
  ExplorerOptions careful;
  careful.error_probability = 0.01;
  tabulate(figures, worlds::cells(),
           {{"1", one_program(careful), 500, careful.error_probability},
            {"5", one_program(defaults), 300, defaults.error_probability}},
           is_worse_than_best);
  using Make = std::unique_ptr<Strategy> (*)(const SearchSpace &, SearchOptions);
  const auto by = [&](Make make) {
    ExplorerOptions options;
    options.strategy = [make, most = options.most_trials](const SearchSpace &space) {
      return make(space, {most, 1});
    };
    return one_program(options);
  };
  TruthFleet fleet;
  const auto shared_by = [&](std::size_t replicas) -> Run {
    return [&fleet, &defaults, replicas](const worlds::Cell &cell, std::uint64_t seed) {
      return fleet.explore(cell, defaults, seed, replicas);
    };
  };
  const double error = defaults.error_probability;
  tabulate(figures, worlds::wide_cells(),
           {{"local", by(local_search), 100, error},
            {"random", by(random_search), 100, error},
            {"optuna", shared_by(1), 100, error},
            {"fleet", shared_by(3), 40, error}},
           is_worse_than_before);
  constexpr std::size_t runs = 200;
  for (const auto &[name, is_bounded] : {std::pair("percentile", false), {"bounds", true}}) {
    std::printf("\n%s, error 5 %%, %zu runs each\n", name, runs);
    const ExplorerOptions options;
    figures.push_back({std::string("worst_wrong_") + name, "%",
                       worst_of(is_bounded ? tails::bounded_servers() : tails::servers(),
                                is_bounded, options, runs),
                       at_most(100 * options.error_probability)});
  }
  return figures;
}

} // namespace sartor::bench
