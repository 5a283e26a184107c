// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A good variant is active while others are still being compiled.
#include "tuner/exploration.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <vector>

#include <sartor/search_space.hpp>

#include "tuner/measure/window_meter.h"

namespace sartor {
namespace {

using std::chrono::nanoseconds;

/// A program in simulated time, in which compilations take time and run one after the other.
class SlowlyCompiled final : public MeasuredProgram, public Variants {
public:
  explicit SlowlyCompiled(double seconds_per_compile) : per_compile_(seconds_per_compile) {}

  double now = 0;
  std::map<Configuration, double> worth;          ///< 1 if not listed.
  std::set<Configuration> broken;                 ///< Configurations whose compilation fails.
  std::vector<Configuration> asked_for;           ///< Requested compilations, in order.
  std::map<Configuration, double> seconds_active; ///< Counted while a compilation was pending.

  std::function<bool()> prepare(const Configuration &configuration) override {
    asked_for.push_back(configuration);
    const double begin = std::max(now, free_at_);
    free_at_ = begin + per_compile_;
    return [this, configuration, done = free_at_] {
      if (now < done)
        return false;
      if (broken.contains(configuration))
        throw Error({ErrorCode::compile_failed, configuration.text(), "no", ""});
      made_.insert(configuration);
      return true;
    };
  }
  void activate(const Configuration &configuration) override {
    EXPECT_TRUE(configuration.empty() || made_.contains(configuration)) << configuration.text();
    active_ = configuration;
  }
  [[nodiscard]] std::chrono::steady_clock::time_point compile_clock() const override {
    return std::chrono::steady_clock::time_point(
        std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(now)));
  }
  void log(std::string_view, std::string_view) override {}

  std::optional<ObjectiveSample> read_sample(nanoseconds at_least, double,
                                             const std::stop_token &) override {
    return read(std::max(0.002, std::chrono::duration<double>(at_least).count()));
  }
  std::optional<ObjectiveSample> rest(nanoseconds long_enough, const std::stop_token &) override {
    return read(std::chrono::duration<double>(long_enough).count());
  }

private:
  ObjectiveSample read(double seconds) {
    if (now < free_at_)
      seconds_active[active_] += seconds;
    now += seconds;
    const auto it = worth.find(active_);
    const double rate =
        (it == worth.end() ? 1 : it->second) * (1 + 0.02 * std::normal_distribution<>()(random_));
    return {rate, seconds, rate, seconds};
  }

  const double per_compile_;
  double free_at_ = 0;
  std::mt19937_64 random_{1};
  Configuration active_;
  std::set<Configuration> made_;
};

Configuration numbered(std::uint64_t n) { return {{"n", n}}; }

class Anytime : public testing::Test {
protected:
  Decision explore(std::vector<Configuration> hints = {}) {
    std::vector<Setting> settings;
    for (std::uint64_t n = 1; n <= 20; ++n)
      settings.push_back(n);
    const SearchSpace space({{.label = "n", .settings = std::move(settings)}});
    WindowMeter meter(program, {});
    const Objective objective{.read = [] { return 0; }};
    const ExplorerOptions options;
    Exploration exploration(program, meter, objective, options, space,
                            {.incumbent = {}, .hints = std::move(hints)});
    return exploration.run({}).value();
  }

  SlowlyCompiled program{0.5};
};

TEST_F(Anytime, AGoodOneIsActiveWhileOthersAreCompiled) {
  program.worth[numbered(2)] = 1.5;
  EXPECT_EQ(explore().configuration, numbered(2));
  double all = 0;
  for (const auto &[configuration, seconds] : program.seconds_active)
    all += seconds;
  // The variant is the second of twenty compilations.
  EXPECT_GT(program.seconds_active[numbered(2)], 0.75 * all);
}

TEST_F(Anytime, WhatIsLikelyToBeGoodComesFirst) {
  program.worth[numbered(17)] = 1.5;
  EXPECT_EQ(explore({numbered(17)}).configuration, numbered(17));
  EXPECT_EQ(program.asked_for.front(), numbered(17));
  EXPECT_EQ(std::ranges::count(program.asked_for, numbered(17)), 1);
}

TEST_F(Anytime, AHintThatIsNoGoodDoesNoHarm) {
  program.worth[numbered(17)] = 0.3;
  program.worth[numbered(3)] = 1.2;
  EXPECT_EQ(explore({numbered(17), Configuration{{"n", 99}}}).configuration, numbered(3));
  EXPECT_EQ(std::ranges::count(program.asked_for, Configuration{{"n", 99}}), 0); // not in the space
}

TEST_F(Anytime, WhatCannotBeCompiledIsLeftOut) {
  for (std::uint64_t n = 1; n <= 20; n += 2)
    program.broken.insert(numbered(n));
  program.worth[numbered(4)] = 1.2;
  program.worth[numbered(5)] = 2;
  EXPECT_EQ(explore({numbered(5)}).configuration, numbered(4));
  EXPECT_EQ(program.asked_for.size(), 21U); // including the generic code
}

} // namespace
} // namespace sartor
