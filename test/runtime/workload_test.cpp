// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A program whose workload changes from one phase to another and back, and an explorer that adapts
/// to it. The costs of requests are simulated, and requests are made whenever the explorer reads
/// their number, so that the outcome does not depend on the machine.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sartor/sartor.hpp>

#include "handlers/phases.h"

namespace {

using nlohmann::json;
using namespace std::chrono_literals;
using sartor::Configuration;
using sartor::Explorer;
using sartor::ExplorerOptions;
using sartor::Objective;

const Configuration kForPhase[] = {{{"phase", 0}}, {{"phase", 1}}};

class ProgramInPhases : public testing::Test {
protected:
  ProgramInPhases() {
    sartor::Options options;
    options.event_log = path_;
    runtime_ = std::make_unique<sartor::Runtime>(options);
    handler_ = runtime_->handler<&in_phase>();
    client_ = std::jthread([this](const std::stop_token &stop) { run(stop); });
  }
  ~ProgramInPhases() override {
    client_ = {};
    runtime_.reset();
    std::filesystem::remove(path_);
  }

  /// Calls while variants are switched.
  void run(const std::stop_token &stop) {
    while (!stop.stop_requested()) {
      call();
      std::this_thread::sleep_for(500us);
    }
  }
  /// Makes calls of the present phase, which it returns.
  unsigned call() {
    const unsigned phase = phase_;
    for (int i = 0; i < 100; ++i)
      (*handler_)(1, phase);
    return phase;
  }

  /// A request costs 1 if the active variant was made for the phase, 2 if it was made for the other
  /// phase, and 3 under the generic code. The explorer makes the requests by reading their number,
  /// on the thread that also switches variants: each sample is exact, and none is without requests,
  /// even if the machine stops during it.
  [[nodiscard]] Objective cost_per_request() {
    return Objective::cost_per([this] { return static_cast<double>(cost_.load()); },
                               [this] {
                                 const unsigned phase = call();
                                 const Configuration now = runtime_->configuration();
                                 cost_ += now == kForPhase[phase] ? 100 : now.empty() ? 300 : 200;
                                 return static_cast<double>(requests_ += 100);
                               });
  }
  static ExplorerOptions quick() {
    ExplorerOptions options;
    options.detection_window = 200ms;
    options.most_samples = 20;
    options.detection_budget = 0.3; // one minute of which is shortened to two seconds
    return options;
  }

  static void wait_until(const std::function<bool()> &reached) {
    for (const auto end = std::chrono::steady_clock::now() + 2min; !reached();) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << "never happened";
      std::this_thread::sleep_for(5ms);
    }
  }
  [[nodiscard]] std::size_t events_of(const std::string &kind) const {
    const auto all = events();
    return static_cast<std::size_t>(std::ranges::count(all, kind, &kind_of));
  }
  /// Waits until the log contains so many events of a kind.
  void wait_for_events(const std::string &kind, std::size_t count) const {
    wait_until([&] { return events_of(kind) >= count; });
  }
  /// Waits until the program has been watched for a while: about two seconds.
  void wait_for_windows() const { wait_for_events("window", events_of("window") + 8); }

  static std::string kind_of(const json &event) { return event.at("event"); }
  [[nodiscard]] std::vector<json> events() const {
    std::vector<json> found;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);)
      if (json event = json::parse(line, nullptr, false); !event.is_discarded())
        found.push_back(std::move(event));
    return found;
  }
  /// The events after the last change that describe the reaction to it.
  [[nodiscard]] std::vector<std::string> after_last_change() const {
    std::vector<std::string> kinds;
    for (const json &event : events()) {
      const std::string kind = kind_of(event);
      if (kind == "change")
        kinds.clear();
      else if (kind == "remembered" || kind == "verified" || kind == "trial" || kind == "decide")
        kinds.push_back(kind);
    }
    return kinds;
  }

  /// Runs phase 0, phase 1 and phase 0 again, until its best-known configuration is verified.
  void go_through_phases(const Explorer &explorer) {
    const auto chosen = [&](unsigned phase) {
      wait_until([&] {
        const auto decision = explorer.decision();
        return decision && decision->configuration == kForPhase[phase];
      });
    };
    chosen(0);
    wait_for_windows();
    phase_ = 1;
    chosen(1);
    wait_for_windows();
    phase_ = 0;
    wait_for_events("verified", 1);
    chosen(0);
  }

  void expect_best_known_came_back_at_once() const {
    const auto kinds = after_last_change();
    ASSERT_GE(kinds.size(), 2U);
    EXPECT_EQ(kinds.front(), "remembered");
    EXPECT_EQ(kinds.back(), "verified");
    for (const json &event : events())
      if (kind_of(event) == "remembered" || kind_of(event) == "verified") {
        EXPECT_EQ(event.at("text"), "{phase=0}");
      }
  }

  const std::string path_ = testing::TempDir() + "sartor_workload_" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
                            std::to_string(getpid()) + ".jsonl";
  std::atomic<unsigned> phase_ = 0;
  std::atomic<std::uint64_t> requests_ = 0;
  std::atomic<std::uint64_t> cost_ = 0;
  std::unique_ptr<sartor::Runtime> runtime_;
  std::optional<sartor::Handler<decltype(in_phase)>> handler_;
  std::jthread client_;
};

TEST_F(ProgramInPhases, KnownByItsProfileGetsItsBestKnownConfigurationAtOnce) {
  runtime_->instrument({{"phase", 1}});
  Explorer explorer = sartor::autotune(*runtime_, cost_per_request(), quick());
  go_through_phases(explorer);
  explorer.stop();
  expect_best_known_came_back_at_once();
}

TEST_F(ProgramInPhases, KnownByItsOwnNameGetsItsBestKnownConfigurationAtOnce) {
  ExplorerOptions options = quick();
  options.signature = [this] { return phase_ == 0 ? "day" : "night"; };
  Explorer explorer = sartor::autotune(*runtime_, cost_per_request(), options);
  go_through_phases(explorer);
  explorer.stop();
  expect_best_known_came_back_at_once();
}

TEST_F(ProgramInPhases, UnknownIsExploredAnew) {
  Explorer explorer = sartor::autotune(*runtime_, cost_per_request(), quick());
  wait_until([&] { return explorer.explorations() == 1; });
  wait_for_events("recheck", 1); // the usual level is known
  phase_ = 1;
  wait_until([&] { return explorer.explorations() >= 2; });
  explorer.stop();
  const auto kinds = after_last_change();
  EXPECT_THAT(kinds, testing::Not(testing::Contains("remembered")));
  EXPECT_THAT(kinds, testing::Contains("trial"));
}

TEST_F(ProgramInPhases, BetterOfTheTwoIsActiveBeforeItIsExploredAgain) {
  Explorer explorer = sartor::autotune(*runtime_, cost_per_request(), quick());
  wait_until([&] { return explorer.explorations() == 1; });
  ASSERT_EQ(explorer.decision()->configuration, kForPhase[0]);
  ASSERT_EQ(explorer.decision()->runner_up, kForPhase[1]);
  wait_for_events("recheck", 1); // the usual level is known
  phase_ = 1;
  wait_for_events("change", 1);
  wait_for_events("explore_start", 2);
  explorer.stop();
  std::string active;
  bool changed = false;
  for (const json &event : events()) {
    const std::string kind = kind_of(event);
    if (kind == "change") {
      changed = true;
      EXPECT_EQ(event.at("because"), "cost");
    }
    if (changed && kind == "switch")
      active = event.dump();
    if (changed && kind == "explore_start")
      break;
  }
  EXPECT_THAT(active, testing::HasSubstr(kForPhase[1].text().substr(1, 7)));
}

TEST_F(ProgramInPhases, ExplorerThatIsNotToDetectChangesEndsWithItsDecision) {
  ExplorerOptions options = quick();
  options.detect_changes = false;
  Explorer explorer = sartor::autotune(*runtime_, cost_per_request(), options);
  wait_until([&] { return explorer.explorations() == 1; });
  phase_ = 1;
  std::this_thread::sleep_for(2s);
  explorer.stop();
  EXPECT_EQ(explorer.explorations(), 1U);
  EXPECT_EQ(std::ranges::count(events(), "window", &kind_of), 0);
}

TEST_F(ProgramInPhases, LoadThatGoesDownIsNoChange) {
  std::atomic<std::uint64_t> shown = 0, spent = 0;
  std::atomic<int> share = 10;
  std::jthread load([&](const std::stop_token &stop) {
    while (!stop.stop_requested()) {
      shown += static_cast<std::uint64_t>(share.load());
      spent += 2 * static_cast<std::uint64_t>(share.load());
      std::this_thread::sleep_for(1ms);
    }
  });
  Objective throughput = Objective::rate_of(shown);
  throughput.cost = [&] { return static_cast<double>(spent.load()); };
  Explorer explorer = sartor::autotune(*runtime_, throughput, quick());
  wait_for_events("window", 3);
  share = 2;
  wait_for_events("window", 8);
  share = 0; // no requests
  std::this_thread::sleep_for(1500ms);
  share = 20;
  wait_for_events("window", 14);
  explorer.stop();
  EXPECT_EQ(std::ranges::count(events(), "change", &kind_of), 0);
  EXPECT_EQ(explorer.explorations(), 1U);
}

TEST_F(ProgramInPhases, ObjectiveThatIsNonsenseEndsWithoutHarm) {
  const double values[] = {std::numeric_limits<double>::quiet_NaN(), 0, 7};
  for (const double value : values) {
    Explorer explorer = sartor::autotune(
        *runtime_,
        Objective::value_of([=] { return value; }, Objective::Direction::higher_is_better),
        quick());
    std::this_thread::sleep_for(1s);
    explorer.stop();
    EXPECT_LE(explorer.explorations(), 2U) << value;
  }
}

TEST_F(ProgramInPhases, ObjectiveThatJumpsIsNotExploredForEver) {
  std::atomic<unsigned> readings = 0;
  const auto jumps = Objective::value_of([&] { return ++readings % 7 < 3 ? 1.0 : 1000.0; },
                                         Objective::Direction::higher_is_better);
  Explorer explorer = sartor::autotune(*runtime_, jumps, quick());
  wait_for_events("window", 10);
  explorer.stop();
  EXPECT_LE(explorer.explorations(), 4U);
}

TEST_F(ProgramInPhases, ObjectiveThatThrowsWhileWatchedEndsTheExplorerOnly) {
  std::atomic<bool> broken = false;
  Explorer explorer = sartor::autotune(*runtime_,
                                       Objective::value_of(
                                           [&] {
                                             if (broken)
                                               throw std::runtime_error("the meter is gone");
                                             return 1.0;
                                           },
                                           Objective::Direction::higher_is_better),
                                       quick());
  wait_for_events("window", 1);
  broken = true;
  wait_for_events("explore_failed", 1);
  explorer.stop();
}

} // namespace
