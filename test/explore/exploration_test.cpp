// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explorations of a program with difficult objectives and strategies.
#include "handlers/scaled.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include <sartor/sartor.hpp>

namespace sartor {
namespace {

using namespace std::chrono_literals;
using Direction = Objective::Direction;

/// A strategy made of functions; it ends after a given number of asks.
class Scripted final : public Strategy {
public:
  std::function<std::optional<Configuration>()> next;
  std::size_t asks_left = 100'000;
  std::function<void(const Trial &)> reported = [](const Trial &) {};

  std::optional<Configuration> ask() override {
    if (asks_left == 0)
      return std::nullopt;
    --asks_left;
    return next();
  }
  void tell(const Trial &trial) override { reported(trial); }
  [[nodiscard]] Decision best() const override { return {{{"factor", 3}}, {}}; }
  [[nodiscard]] std::size_t sample_count() const override { return 2; }
};

class Exploring : public testing::Test {
protected:
  Exploring() {
    (void)runtime.handler<&scaled>();
    options.sample_time = 200us;
    options.longest_sample_time = 2ms;
    options.most_samples = 20;
    options.tolerance = 0.2;
    options.confirm_for = 5ms;
  }

  Decision explore(std::function<double()> read) {
    return Explorer(runtime, Objective::value_of(std::move(read), Direction::higher_is_better),
                    options)
        .explore();
  }

  /// Explores with a strategy that proposes what `next` returns.
  Decision explore_with(std::function<std::optional<Configuration>()> next) {
    options.strategy = [next](const SearchSpace &) {
      auto strategy = std::make_unique<Scripted>();
      strategy->next = next;
      return strategy;
    };
    return explore([this] { return active_value(); });
  }

  /// Returns a value that is better the larger the active factor is.
  double active_value() { return active_value(runtime); }
  static double active_value(const Runtime &of) {
    const Configuration now = of.configuration();
    const Setting *factor = now.find("factor");
    return factor ? static_cast<double>(factor->values.front().integer()) : 1;
  }

  ErrorCode code_of(const std::function<void()> &call) {
    try {
      call();
    } catch (const Error &error) {
      return error.code();
    }
    return ErrorCode{};
  }

  Runtime runtime;
  ExplorerOptions options;
};

TEST_F(Exploring, FindsTheBestAndActivatesIt) {
  EXPECT_EQ(explore([this] { return active_value(); }).configuration,
            (Configuration{{"factor", 5}}));
  EXPECT_EQ(runtime.configuration(), (Configuration{{"factor", 5}}));
}

TEST_F(Exploring, TheProgramIsMeasuredBeforeAnythingIsCompiled) {
  std::uint64_t compiles = 1;
  // A busy machine reads less often before the first sample.
  for (int tries = 0; tries < 10 && compiles > 0; ++tries) {
    Runtime fresh;
    (void)fresh.handler<&scaled>();
    int reads = 0;
    compiles = 0;
    const auto read = [&] {
      if (++reads == 25) // of about 40 before the first sample
        compiles = fresh.statistics().compiles;
      return active_value(fresh);
    };
    Explorer(fresh, Objective::value_of(read, Direction::higher_is_better), options).explore();
  }
  EXPECT_EQ(compiles, 0U);
}

TEST_F(Exploring, EndsWithoutADecisionWhenItIsStopped) {
  std::stop_source stop;
  options.most_samples = 1'000'000;
  options.tolerance = 0;
  int reads = 0;
  Explorer explorer(runtime,
                    Objective::value_of(
                        [&] {
                          if (++reads == 100)
                            stop.request_stop();
                          return 1.0 + (reads % 7); // no race is ever decided
                        },
                        Direction::higher_is_better),
                    options);
  EXPECT_FALSE(explorer.explore(stop.get_token()));
  EXPECT_LT(reads, 200);
  EXPECT_EQ(explorer.explorations(), 0U);
  EXPECT_FALSE(explorer.decision());
}

TEST_F(Exploring, ResumedOneThatIsStoppedRestoresWhatIsActiveNow) {
  const std::filesystem::path journal =
      std::filesystem::temp_directory_path() / ("sartor-journal-" + std::to_string(getpid()));
  options.journal = journal;
  options.most_samples = 1'000'000;
  options.tolerance = 0;
  // The journal says that another configuration was active.
  for (const Configuration &active : {Configuration{{"factor", 2}}, Configuration{{"factor", 3}}}) {
    runtime.specialize(active);
    std::stop_source stop;
    int reads = 0;
    Explorer explorer(runtime,
                      Objective::value_of(
                          [&] {
                            if (++reads == 100)
                              stop.request_stop();
                            return 1.0 + (reads % 7); // no race is ever decided
                          },
                          Direction::higher_is_better),
                      options);
    EXPECT_FALSE(explorer.explore(stop.get_token()));
    EXPECT_EQ(runtime.configuration(), active);
  }
  std::filesystem::remove(journal);
}

TEST_F(Exploring, ObjectiveThatNeverChangesKeepsWhatIsActive) {
  runtime.specialize({{"factor", 3}});
  EXPECT_EQ(explore([] { return 7.0; }).configuration, (Configuration{{"factor", 3}}));
  EXPECT_EQ(explore([] { return 0.0; }).configuration, (Configuration{{"factor", 3}}));
}

TEST_F(Exploring, ObjectiveThatIsNoNumberKeepsWhatIsActive) {
  runtime.specialize({{"factor", 2}});
  EXPECT_EQ(code_of([&] { explore([] { return std::nan(""); }); }), ErrorCode::bad_objective);
  EXPECT_EQ(runtime.configuration(), (Configuration{{"factor", 2}}));
}

TEST_F(Exploring, NegativeObjectivesAreOrdered) {
  EXPECT_EQ(explore([this] { return active_value() - 10; }).configuration,
            (Configuration{{"factor", 5}}));
}

TEST_F(Exploring, ObjectiveThatJumpsEnds) {
  int reads = 0;
  EXPECT_NO_THROW(explore([&] { return active_value() * (++reads % 37 == 0 ? 1000 : 1); }));
}

TEST_F(Exploring, StrategyThatThrowsIsBad) {
  runtime.specialize({{"factor", 2}});
  EXPECT_EQ(code_of([this] {
              explore_with(
                  []() -> std::optional<Configuration> { throw std::runtime_error("no"); });
            }),
            ErrorCode::bad_strategy);
  EXPECT_EQ(runtime.configuration(), (Configuration{{"factor", 2}}));
}

TEST_F(Exploring, StrategyThatStaysOutsideOfTheSpaceIsBad) {
  int asked = 0;
  EXPECT_EQ(code_of([&] {
              explore_with([&] {
                ++asked;
                return Configuration{{"factor", 4}};
              });
            }),
            ErrorCode::bad_strategy);
  EXPECT_EQ(asked, 10);
}

TEST_F(Exploring, StrategyThatIsOutsideNowAndThenGoesOn) {
  int asked = 0;
  const Decision decision = explore_with([&]() -> std::optional<Configuration> {
    if (++asked > 15)
      return std::nullopt;
    return Configuration{{"factor", asked % 3 == 0 ? 5 : 4}};
  });
  // The strategy reports 3 as the best, and its candidates are raced nevertheless.
  EXPECT_EQ(decision.configuration, (Configuration{{"factor", 5}}));
  EXPECT_EQ(asked, 16);
}

TEST_F(Exploring, StrategyThatRepeatsItselfForEverIsEnded) {
  int asked = 0;
  explore_with([&] {
    ++asked;
    return Configuration{{"factor", 5}};
  });
  EXPECT_LE(asked, 20);
}

TEST_F(Exploring, ByTwoExplorersAtOnceIsRefused) {
  const auto value = [this] { return active_value(); };
  Explorer first(runtime, Objective::value_of(value, Direction::higher_is_better, "first"),
                 options);
  Explorer second(runtime, Objective::value_of(value, Direction::higher_is_better, "second"),
                  options);
  first.start();
  for (const auto &call : {std::function<void()>([&] { second.explore(); }),
                           std::function<void()>([&] { second.start(); })})
    try {
      call();
      ADD_FAILURE() << "two explorers at once";
    } catch (const Error &error) {
      EXPECT_EQ(error.code(), ErrorCode::already_exploring);
      EXPECT_EQ(error.failure().subject, "second");
      EXPECT_NE(error.failure().message.find("first"), std::string::npos);
    }
  first.stop();
  EXPECT_EQ(second.explore().configuration, (Configuration{{"factor", 5}}));
  first.start(); // started a second time
  first.stop();
}

TEST_F(Exploring, IsStartedAgainAfterItHasEnded) {
  options.detect_changes = false;
  Explorer explorer(
      runtime, Objective::value_of([this] { return active_value(); }, Direction::higher_is_better),
      options);
  const auto end = std::chrono::steady_clock::now() + 60s;
  while (explorer.explorations() < 2 && std::chrono::steady_clock::now() < end) {
    explorer.start(); // does nothing while it explores
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_GE(explorer.explorations(), 2U);
}

TEST_F(Exploring, ThreadThatTheObjectiveEndsLeavesTheRuntimeToOthers) {
  std::atomic<bool> is_read = false;
  Explorer first(runtime,
                 Objective::value_of(
                     [&]() -> double {
                       is_read = true;
                       pthread_exit(nullptr);
                     },
                     Direction::higher_is_better),
                 options);
  first.start();
  while (!is_read)
    std::this_thread::sleep_for(1ms);
  first.stop();
  EXPECT_EQ(explore([this] { return active_value(); }).configuration,
            (Configuration{{"factor", 5}}));
}

TEST_F(Exploring, FromWithinItsOwnObjectiveIsRefused) {
  Explorer *self = nullptr;
  ErrorCode code{};
  Explorer explorer(runtime,
                    Objective::value_of(
                        [&] {
                          if (self && code == ErrorCode{})
                            code = code_of([&] { self->explore(); });
                          return active_value();
                        },
                        Direction::higher_is_better),
                    options);
  self = &explorer;
  EXPECT_EQ(explorer.explore().configuration, (Configuration{{"factor", 5}}));
  EXPECT_EQ(code, ErrorCode::already_exploring);
}

class PersistentBestKnown : public Exploring {
protected:
  ~PersistentBestKnown() override { std::filesystem::remove_all(directory_); }

  /// Runs with this file; returns the names of events.
  std::vector<std::string> run(std::function<std::string()> signature) {
    const std::filesystem::path log = directory_ / ("log" + std::to_string(++runs_));
    Options with_log;
    with_log.event_log = log;
    Runtime again(with_log);
    (void)again.handler<&scaled>();
    options.best_known = directory_ / "best_known";
    options.signature = std::move(signature);
    options.detect_changes = false;
    Explorer explorer(again,
                      Objective::value_of(
                          [&] {
                            const Configuration now = again.configuration();
                            const Setting *factor = now.find("factor");
                            return factor ? static_cast<double>(factor->values.front().integer())
                                          : 1.0;
                          },
                          Direction::higher_is_better),
                      options);
    explorer.start();
    while (!explorer.decision())
      std::this_thread::sleep_for(1ms);
    explorer.stop();
    EXPECT_EQ(again.configuration(), (Configuration{{"factor", 5}}));
    std::vector<std::string> lines;
    std::ifstream in(log);
    for (std::string line; std::getline(in, line);)
      lines.push_back(std::move(line));
    return lines;
  }
  static bool has(const std::vector<std::string> &lines, const std::string &what) {
    return std::ranges::any_of(
        lines, [&](const std::string &line) { return line.find(what) != std::string::npos; });
  }

  const std::filesystem::path directory_ = [] {
    auto path =
        std::filesystem::temp_directory_path() / ("sartor-kept-" + std::to_string(getpid()));
    std::filesystem::create_directories(path);
    return path;
  }();
  int runs_ = 0;
};

TEST_F(PersistentBestKnown, OfANamedWorkloadAreActiveAtOnceInTheNextRun) {
  const auto first = run([] { return "day"; });
  EXPECT_TRUE(has(first, "\"explore_start\""));
  EXPECT_FALSE(has(first, "\"remembered\""));
  const auto second = run([] { return "day"; });
  EXPECT_TRUE(has(second, "\"remembered\""));
  EXPECT_TRUE(has(second, R"("won":true)"));
  const auto another = run([] { return "night"; });
  EXPECT_FALSE(has(another, "\"remembered\""));
}

TEST_F(PersistentBestKnown, AreTriedFirstWhereNobodyNamesTheWorkload) {
  EXPECT_TRUE(has(run({}), R"("read":0,"left_out":0)"));
  EXPECT_TRUE(has(run({}), R"("read":1,"left_out":0)"));
}

TEST_F(PersistentBestKnown, AreNotThoseOfAnExplorationWithoutEvidence) {
  options.best_known = directory_ / "best_known";
  options.signature = [] { return "day"; };
  options.choices["factor"] = {5};
  // Nothing happens in the program, so nothing is measured.
  const auto zero = [] { return 0.0; };
  const Decision decision =
      Explorer(runtime, Objective::cost_per(zero, zero, "objective"), options).explore();
  EXPECT_EQ(decision.verdict, Verdict::undecided);
  const auto lines = run([] { return "day"; });
  EXPECT_TRUE(has(lines, R"("read":0,"left_out":0)"));
  EXPECT_FALSE(has(lines, "\"remembered\""));
}

TEST_F(PersistentBestKnown, OfOtherPointsAreLeftOutAndReported) {
  std::ofstream(directory_ / "best_known")
      << R"({"best_known":{"other":1},"objective":"objective","workload":"","points":{}})" << '\n'
      << R"({"best_known":{"factor":4},"objective":"objective","workload":"","points":{}})" << '\n';
  EXPECT_TRUE(has(run({}), R"("read":0,"left_out":2)"));
}

TEST_F(PersistentBestKnown, ThatCannotBeReadOrWrittenAreReportedAndDoNoHarm) {
  std::filesystem::create_directory(directory_ / "best_known");
  const auto lines = run({});
  EXPECT_EQ(std::ranges::count_if(lines,
                                  [](const std::string &line) {
                                    return line.find("\"best_known_failed\"") !=
                                               std::string::npos &&
                                           line.find("file_error") != std::string::npos;
                                  }),
            2);
}

TEST_F(Exploring, StrategyThatMakesNothingIsRefused) {
  options.strategy = [](const SearchSpace &) { return nullptr; };
  EXPECT_EQ(code_of([this] { explore([] { return 1.0; }); }), ErrorCode::bad_objective);
}

/// Objectives of a program whose counts are computed when they are read.
class OddCounts : public Exploring {
protected:
  OddCounts() : log_(std::filesystem::temp_directory_path() / unique_name()) {
    Options of_runtime;
    of_runtime.event_log = log_;
    logged_ = std::make_unique<Runtime>(of_runtime);
    (void)logged_->handler<&scaled>();
    options.detect_changes = false;
    options.confirm_for = 2s;        // at most five times as long on a loaded machine
    options.regression_budget = 0.9; // the test limits exploration by time, not by cost
  }
  ~OddCounts() override {
    logged_.reset();
    std::filesystem::remove(log_);
  }

  double factor() {
    const Configuration now = logged_->configuration();
    const Setting *setting = now.find("factor");
    return setting ? static_cast<double>(setting->values.front().integer()) : 1;
  }
  /// Grows by the active factor in each microsecond.
  double grown() {
    const auto now = std::chrono::steady_clock::now();
    count_ += std::chrono::duration<double, std::micro>(now - last_).count() * factor();
    last_ = now;
    return count_;
  }
  /// On a busy machine, the evidence may not suffice in the time; then this explores again.
  Decision explore_by(const Objective &objective) {
    Decision decision = Explorer(*logged_, objective, options).explore();
    for (int tries = 1; tries < 5 && decision.verdict == Verdict::undecided; ++tries) {
      logged_->specialize({});
      decision = Explorer(*logged_, objective, options).explore();
    }
    return decision;
  }
  std::size_t events(const std::string &of) {
    std::ifstream file(log_);
    std::size_t count = 0;
    for (std::string line; std::getline(file, line);)
      count += line.find('"' + of + '"') != std::string::npos;
    return count;
  }

  std::unique_ptr<Runtime> logged_;

private:
  static std::string unique_name() { return "odd_counts_" + std::to_string(getpid()) + ".jsonl"; }
  const std::filesystem::path log_;
  double count_ = 0;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// A process that computes, so that the rate is compared.
class Busy {
public:
  Busy()
      : thread_([](const std::stop_token &stop) {
          while (!stop.stop_requested())
            ;
        }) {}

private:
  std::jthread thread_;
};

TEST_F(OddCounts, CounterThatWrapsIsReadAnew) {
  const Busy busy;
  const Configuration best{{"factor", 5}};
  Decision decision;
  // A counter of 22 bits wraps within the first second, and then every 0.8 to 4 seconds: a sample
  // that a busy machine makes long seldom hides a wrap. If it does, the next exploration counts.
  for (int tries = 0; tries < 5 && decision.configuration != best; ++tries) {
    logged_->specialize({});
    decision =
        explore_by({.read = [this] { return std::fmod(grown() + 0x1p22 - 0x1p20, 0x1p22); }});
  }
  EXPECT_EQ(decision.configuration, best);
  EXPECT_GT(events("set_back"), 0U);
}

TEST_F(OddCounts, CounterThatGoesBackwardsIsRefused) {
  const Busy busy;
  EXPECT_EQ(code_of([&] { explore_by({.read = [this] { return -grown(); }}); }),
            ErrorCode::bad_objective);
  EXPECT_TRUE(logged_->configuration().empty());
}

TEST_F(OddCounts, HistogramThatIsResetIsReadAnew) {
  // A hundred requests for each sample; the larger the factor, the fewer are slow.
  std::vector<std::uint64_t> counts(4);
  std::uint64_t total = 0;
  const Buckets buckets{.bounds = {1e-3, 2e-3, 4e-3}, .counts = [&] {
                          if (++total % 29 == 0)
                            counts.assign(4, 0);
                          counts[0] += 80;
                          const auto slow = static_cast<std::uint64_t>(20 / factor());
                          counts[1] += 20 - slow;
                          counts[2] += slow;
                          return counts;
                        }};
  const Decision decision = explore_by(Objective::percentile_of(buckets, 90));
  EXPECT_EQ(decision.configuration, (Configuration{{"factor", 5}}));
  EXPECT_GT(events("set_back"), 0U);
  // In the histogram's own unit.
  EXPECT_GT(decision.estimate.mean, 1e-3);
  EXPECT_LT(decision.estimate.mean, 2e-3);
}

TEST_F(OddCounts, ValuesOfAnySignThatShouldBeLowAreCompared) {
  // Levels of factors 1 to 5: all are positive; one is zero; they have both signs; all are
  // negative; they are levels in decibels.
  for (const double offset : {10.0, 5.0, 3.0, 0.0, -20.0}) {
    std::size_t measured_samples = 0;
    const auto noise = [&] { return 1e-3 * static_cast<double>(++measured_samples % 7); };
    const Decision decision = explore_by(Objective::value_of(
        [&] { return offset - factor() + (offset == 5 && factor() == 5 ? 0 : noise()); },
        Direction::lower_is_better));
    EXPECT_EQ(decision.configuration, (Configuration{{"factor", 5}})) << offset;
    EXPECT_EQ(decision.verdict, Verdict::better) << offset;
    EXPECT_GT(decision.gain.mean, 0) << offset;
    EXPECT_NEAR(decision.estimate.mean, offset - 5, 0.01) << offset;
    logged_->specialize({});
  }
}

/// The decision says what was compared: of a program that is not busy, the cost of its work.
TEST_F(OddCounts, DecisionNamesWhatWasCompared) {
  std::atomic<std::uint64_t> work = 0;
  const std::jthread seldom([&](const std::stop_token &stop) {
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(20ms);
      work += static_cast<std::uint64_t>(factor());
    }
  });
  options.confirm_for = 5ms;
  const Decision decision = explore_by(Objective::rate_of(work, "work", "1/s"));
  // Only on a machine that does much else.
  const bool is_busy = events("not_saturated") + events("crowded") == 0;
  EXPECT_EQ(decision.objective, is_busy ? "work" : "cost of work");
  EXPECT_EQ(decision.unit, is_busy ? "1/s" : "s");
}

TEST_F(OddCounts, GainOfACostIsARatio) {
  const Decision decision = explore_by(Objective::value_of(
      [&] { return 10 / factor(); }, Direction::lower_is_better, "latency", "ms"));
  EXPECT_EQ(decision.objective, "latency");
  EXPECT_EQ(decision.unit, "ms");
  EXPECT_EQ(decision.configuration, (Configuration{{"factor", 5}}));
  EXPECT_NEAR(decision.gain.mean, 4, 0.01);
  EXPECT_NEAR(decision.estimate.mean, 2, 0.01);
}

TEST_F(OddCounts, GaugeWithoutANumberIsRefused) {
  for (const double no_number :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (const Direction direction : {Direction::lower_is_better, Direction::higher_is_better})
      EXPECT_EQ(
          code_of([&] { explore_by(Objective::value_of([&] { return no_number; }, direction)); }),
          ErrorCode::bad_objective);
  EXPECT_TRUE(logged_->configuration().empty());
}

TEST_F(OddCounts, WeightedQuantityThatIsNegativeIsRefused) {
  const Objective value =
      Objective::value_of([this] { return factor(); }, Direction::higher_is_better, "value");
  const Objective level =
      Objective::value_of([this] { return factor() - 80; }, Direction::lower_is_better, "level");
  EXPECT_EQ(code_of([&] { explore_by(Objective::weighted({{value, 1}, {level, 1}})); }),
            ErrorCode::bad_objective);
}

TEST_F(OddCounts, BoundIsKept) {
  // The larger the factor, the better, and the higher the cost.
  const Objective cost =
      Objective::value_of([this] { return factor(); }, Direction::lower_is_better, "cost");
  const Objective value =
      Objective::value_of([this] { return factor(); }, Direction::higher_is_better);
  const Decision decision = explore_by(value.subject_to(cost, {.most = 4}));
  EXPECT_EQ(decision.configuration, (Configuration{{"factor", 3}}));
  EXPECT_TRUE(decision.keeps_bounds);
  ASSERT_EQ(decision.bounds.size(), 1U);
  EXPECT_EQ(decision.bounds.front().mean, 3);
  EXPECT_EQ(events("bound_not_kept"), 0U);
}

TEST_F(OddCounts, SeveralQuantitiesAreWeighed) {
  // The larger the factor, the better; the cost grows with the power of three halves.
  const Objective value =
      Objective::value_of([this] { return factor(); }, Direction::higher_is_better, "value");
  const Objective cost = Objective::value_of([this] { return std::pow(factor(), 1.5); },
                                             Direction::lower_is_better, "cost");
  EXPECT_TRUE(explore_by(Objective::weighted({{value, 1}, {cost, 1}})).configuration.empty());
  const Decision decision = explore_by(Objective::weighted({{value, 2}, {cost, 1}}));
  EXPECT_EQ(decision.configuration, (Configuration{{"factor", 5}}));
  EXPECT_NEAR(decision.estimate.mean, std::pow(5, 2.0 / 3 - 0.5), 1e-6);
}

TEST_F(OddCounts, QuantityBesideTheFirstThatIsSetBackIsReadAnew) {
  const Objective value =
      Objective::value_of([this] { return factor(); }, Direction::higher_is_better, "value");
  double cost = 0, per = 0;
  std::size_t measured_samples = 0;
  const Objective ratio =
      Objective::cost_per([&] { return ++measured_samples % 29 == 0 ? cost = 0 : ++cost; },
                          [&] { return ++per; }, "ratio");
  const Decision decision = explore_by(Objective::weighted({{value, 1}, {ratio, 1}}));
  EXPECT_EQ(decision.configuration, (Configuration{{"factor", 5}}));
  EXPECT_GT(events("set_back"), 0U);
}

TEST_F(OddCounts, BoundThatNothingKeepsIsReported) {
  const Objective cost =
      Objective::value_of([this] { return 10 - factor(); }, Direction::lower_is_better, "cost");
  const Objective value =
      Objective::value_of([this] { return 1 / factor(); }, Direction::higher_is_better);
  const Decision decision = explore_by(value.subject_to(cost, {.most = 2}));
  EXPECT_EQ(decision.configuration, (Configuration{{"factor", 5}}));
  EXPECT_FALSE(decision.keeps_bounds);
  EXPECT_EQ(events("bound_unmet"), 1U);
  EXPECT_EQ(events("bound_not_kept"), 1U);
}

TEST_F(OddCounts, PercentilesAndBoundsThatMakeNoSenseAreRefused) {
  const auto refused = [&](const Objective &objective) {
    return code_of([&] { const Explorer explorer(*logged_, objective, options); }) ==
           ErrorCode::bad_objective;
  };
  const Histogram histogram;
  const auto p = [&](double percent) { return Objective::percentile_of(histogram, percent); };
  EXPECT_FALSE(refused(p(99)));
  EXPECT_TRUE(refused(p(0)));
  EXPECT_TRUE(refused(p(100)));
  EXPECT_TRUE(refused(p(std::nan(""))));
  const auto own = [](std::vector<double> bounds, std::size_t counts) {
    return Objective::percentile_of(
        {.bounds = std::move(bounds),
         .counts = [counts] { return std::vector<std::uint64_t>(counts); }},
        99);
  };
  EXPECT_FALSE(refused(own({1, 2}, 3)));
  EXPECT_TRUE(refused(own({1, 2}, 2)));
  EXPECT_TRUE(refused(own({2, 1}, 3)));
  EXPECT_TRUE(refused(own({1, 1}, 3)));
  EXPECT_TRUE(refused(own({}, 1)));
  EXPECT_TRUE(refused(Objective::percentile_of(Buckets{.bounds = {1}, .counts = {}}, 99)));
  EXPECT_FALSE(refused(p(50).subject_to(p(99), {.most = 1})));
  Objective of_nothing = p(50);
  of_nothing.bounds.push_back({.of = nullptr, .limit = 1});
  EXPECT_TRUE(refused(of_nothing));
  of_nothing = p(50);
  of_nothing.quantities.resize(2);
  EXPECT_TRUE(refused(of_nothing));
  EXPECT_TRUE(refused(p(50).subject_to(p(99), {})));
  EXPECT_TRUE(refused(p(50).subject_to(p(99), {.least = 1})));
  EXPECT_TRUE(refused(p(50).subject_to(p(99), {.most = -1})));
  EXPECT_TRUE(refused(p(50).subject_to(p(100), {.most = 1})));
  EXPECT_TRUE(refused(p(50).subject_to(Objective::cost_of_call("scaled"), {.most = 1})));
  EXPECT_TRUE(refused(Objective::cost_of_call("scaled").subject_to(p(99), {.most = 1})));
}

} // namespace
} // namespace sartor
