// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Points of different handlers, explored at the same time by the calls of each.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "handlers_world.h"

namespace sartor {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using worlds::HandlerModel;
using worlds::HandlersProgram;

Dimension numbers(const std::string &label, std::uint64_t most) {
  Dimension dimension{.label = label, .settings = {}};
  for (std::uint64_t i = 1; i <= most; ++i)
    dimension.settings.emplace_back(i);
  return dimension;
}

std::size_t value(const Configuration &configuration, const std::string &label) {
  const Setting *setting = configuration.find(label);
  return setting ? static_cast<std::size_t>(setting->values.front().integer()) : 0;
}

std::vector<std::vector<std::string>> labels(const std::vector<Component> &components) {
  std::vector<std::vector<std::string>> all;
  for (const Component &component : components) {
    all.emplace_back();
    for (const Dimension &dimension : component.space.dimensions())
      all.back().push_back(dimension.label);
  }
  return all;
}

using Labels = std::vector<std::string>;

TEST(Components, PointsOfAHandlerStayTogether) {
  const SearchSpace space({numbers("a", 2), numbers("b", 2), numbers("c", 2), numbers("d", 2)});
  const auto components =
      components_of(space, {{"a", {"f"}}, {"b", {"g"}}, {"c", {"f"}}, {"d", {"g", "h"}}});
  EXPECT_THAT(labels(components), ElementsAre(Labels{"a", "c"}, Labels{"b", "d"}));
  EXPECT_THAT(components[0].handlers, ElementsAre("f"));
  EXPECT_THAT(components[1].handlers, ElementsAre("g", "h"));
}

TEST(Components, SoDoPointsThatAConstraintBinds) {
  Constraints constraints;
  constraints.relations = {"a * b <= 2", "c + d < 4"};
  constraints.conditions["e"] = {.label = "f", .values = {1}};
  constraints.forbidden = {{{"g", 1}, {"h", 1}}};
  std::vector<Dimension> dimensions;
  HandlersOfPoints handlers;
  for (const char *label : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) {
    dimensions.push_back(numbers(label, 2));
    handlers[label] = {std::string("handler of ") + label};
  }
  const SearchSpace space(dimensions, constraints);
  const auto components = components_of(space, handlers);
  EXPECT_THAT(labels(components), ElementsAre(Labels{"a", "b"}, Labels{"c", "d"}, Labels{"e", "f"},
                                              Labels{"g", "h"}, Labels{"i"}));
  std::uint64_t all = 1;
  for (const Component &component : components)
    all *= component.space.all().size();
  EXPECT_EQ(all, space.all(100'000).size()) << "each constraint is one component's";
  EXPECT_EQ(joined(components), space);
}

TEST(Components, PointsOfNoHandlerAreEachOthers) {
  const SearchSpace space({numbers("a", 2), numbers("b", 2), numbers("c", 2)});
  const auto components = components_of(space, {{"a", {}}, {"b", {"g"}}});
  EXPECT_THAT(labels(components), ElementsAre(Labels{"a", "c"}, Labels{"b"}));
  EXPECT_THAT(components[0].handlers, SizeIs(0));
}

/// Handlers with two points of three settings each.
struct Many {
  std::vector<HandlerModel> handlers;
  std::vector<Dimension> dimensions;
  HandlersOfPoints points;
  Configuration best;
};

/// Draws the effect of each setting: some help by up to a fifth, some harm by up to a factor of
/// two.
Many many(std::size_t count, std::uint64_t seed) {
  Many all;
  std::mt19937_64 random(seed);
  const auto factor = [&] {
    return std::exp(std::uniform_real_distribution<double>(-0.2, 0.6)(random));
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "f" + std::to_string(i), a = name + ".a", b = name + ".b";
    const std::vector<double> of_a{1, factor(), factor()}, of_b{1, factor(), factor()};
    const double each = 2'000 * (1 + static_cast<double>(random() % 4));
    all.handlers.push_back({.name = name,
                            .calls = 1 + static_cast<double>(random() % 2),
                            .cost = [=](const Configuration &configuration) {
                              return each * of_a[value(configuration, a)] *
                                     of_b[value(configuration, b)];
                            }});
    for (const auto &[label, of] : {std::pair(a, of_a), {b, of_b}}) {
      all.dimensions.push_back(numbers(label, 2));
      all.points[label] = {name};
      if (const auto at = static_cast<std::uint64_t>(std::ranges::min_element(of) - of.begin());
          at > 0)
        all.best.set(label, at);
    }
  }
  return all;
}

TEST(Parts, TwelveHandlersOfTwoPointsAreTwelveSmallRaces) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Many all = many(12, seed);
    HandlersProgram program(all.handlers, seed);
    const auto outcome =
        worlds::explore(program, SearchSpace(all.dimensions), all.points, seed).value();
    EXPECT_EQ(outcome.decision.verdict, Verdict::better);
    EXPECT_GE(program.truth(outcome.decision.configuration), 0.98 * program.truth(all.best));
    EXPECT_LE(program.seconds(), 60);
    EXPECT_LE(outcome.lost, 1.1 * ExplorerOptions().regression_budget);
    EXPECT_EQ(program.active(), outcome.decision.configuration);
    EXPECT_FALSE(program.is_rotating());
  }
}

TEST(Parts, FastAsARuleAndSlowNowAndThenIsNotNominated) {
  // Half of the settings take 30 % more on average, all of it in one call of forty.
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::vector<HandlerModel> handlers;
    std::vector<Dimension> dimensions;
    HandlersOfPoints points;
    for (std::size_t i = 0; i < 6; ++i) {
      const std::string name = "f" + std::to_string(i);
      handlers.push_back({.name = name,
                          .cost =
                              [=](const Configuration &configuration) {
                                const std::size_t set = value(configuration, name);
                                return 10'000 * (set == 0 ? 1 : set % 2 == 1 ? 1.3 : 0.9);
                              },
                          .lumps =
                              [=](const Configuration &configuration) {
                                return value(configuration, name) % 2 == 1 ? 40.0 : 1.0;
                              }});
      dimensions.push_back(numbers(name, 4));
      points[name] = {name};
    }
    HandlersProgram program(handlers, seed);
    const auto outcome = worlds::explore(program, SearchSpace(dimensions), points, seed).value();
    EXPECT_EQ(outcome.decision.verdict, Verdict::better);
    for (const auto &[label, setting] : outcome.decision.configuration)
      EXPECT_EQ(setting.values.front().integer() % 2, 0) << label;
  }
}

TEST(Parts, EqualsStayAsTheyAre) {
  std::vector<HandlerModel> handlers;
  std::vector<Dimension> dimensions;
  HandlersOfPoints points;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::string name = "f" + std::to_string(i);
    handlers.push_back({.name = name, .cost = [](const auto &) { return 5'000; }});
    dimensions.push_back(numbers(name, 3));
    points[name] = {name};
  }
  const Configuration active{{"f3", 2}};
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    HandlersProgram program(handlers, seed);
    ExplorerOptions options;
    options.tolerance = 0.02;
    const auto outcome =
        worlds::explore(program, SearchSpace(dimensions), points, seed, options, {}, active);
    moved += outcome->decision.configuration != active;
  }
  EXPECT_EQ(moved, 0);
}

/// Two handlers share a point, which helps the one that is called less.
TEST(Parts, APointOfTwoHandlersIsWeighedByHowMuchTimeTheyTake) {
  Many all = many(3, 7);
  all.handlers.push_back(
      {.name = "often", .calls = 6, .cost = [](const Configuration &configuration) {
         return 4'000 * (value(configuration, "shared") == 1 ? 1.2 : 1);
       }});
  all.handlers.push_back({.name = "seldom", .cost = [](const Configuration &configuration) {
                            return 4'000 * (value(configuration, "shared") == 1 ? 0.6 : 1);
                          }});
  all.dimensions.push_back(numbers("shared", 1));
  all.points["shared"] = {"often", "seldom"};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    HandlersProgram program(all.handlers, seed);
    const auto outcome =
        worlds::explore(program, SearchSpace(all.dimensions), all.points, seed).value();
    EXPECT_EQ(value(outcome.decision.configuration, "shared"), 0U);
    EXPECT_GE(program.truth(outcome.decision.configuration), 0.98 * program.truth(all.best));
  }
}

TEST(Parts, AHandlerThatCallsAnotherByItsEntryIsCreditedForItsOwn) {
  Many all = many(4, 3);
  all.handlers[0].inner = "f1";
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    HandlersProgram program(all.handlers, seed);
    const auto outcome =
        worlds::explore(program, SearchSpace(all.dimensions), all.points, seed).value();
    EXPECT_EQ(outcome.decision.verdict, Verdict::better);
    EXPECT_GE(program.truth(outcome.decision.configuration), 0.98 * program.truth(all.best));
  }
}

std::string part_of(const HandlersProgram &program, const std::string &handler) {
  for (const std::string &event : program.events)
    if (event.starts_with("part {\"handlers\":\"" + handler + "\""))
      return event;
  return {};
}

TEST(Parts, WhatCannotBeTimedIsExploredByWindowsAndSaysSo) {
  const Many all = many(4, 5);
  HandlersProgram program(all.handlers, 1);
  program.without_entry = {"f2"};
  const auto outcome = worlds::explore(program, SearchSpace(all.dimensions), all.points, 1).value();
  EXPECT_GE(program.truth(outcome.decision.configuration), 0.97 * program.truth(all.best));
  EXPECT_THAT(part_of(program, "f2"), HasSubstr("cannot be timed"));
  EXPECT_THAT(part_of(program, "f1"), testing::Not(HasSubstr("error")));
  EXPECT_EQ(program.starts.count("f2"), 0U);
}

TEST(Parts, AHandlerThatNobodyCallsKeepsNobodyWaiting) {
  Many all = many(4, 5);
  all.handlers[1].calls = 0;
  HandlersProgram program(all.handlers, 1);
  const auto outcome = worlds::explore(program, SearchSpace(all.dimensions), all.points, 1).value();
  EXPECT_EQ(outcome.decision.verdict, Verdict::better);
  EXPECT_GE(program.truth(outcome.decision.configuration), 0.98 * program.truth(all.best));
  EXPECT_THAT(part_of(program, "f1"), HasSubstr("or not at all"));
  EXPECT_THAT(program.events, Contains(HasSubstr("not_called")));
}

TEST(Parts, OneThatIsCalledTooSeldomIsExploredByWindows) {
  Many all = many(3, 5);
  all.handlers[0].calls = 0.0002; // called a few times a second
  HandlersProgram program(all.handlers, 1);
  const auto outcome = worlds::explore(program, SearchSpace(all.dimensions), all.points, 1).value();
  EXPECT_THAT(part_of(program, "f0"), HasSubstr("too seldom"));
  EXPECT_GE(program.truth(outcome.decision.configuration), 0.95 * program.truth(all.best));
}

TEST(Parts, AVariantThatCannotBeCompiledIsLeftOut) {
  const Many all = many(3, 5);
  const std::string bad = all.best.begin()->first;
  HandlersProgram program(all.handlers, 1);
  program.can_be_compiled = [&](const Configuration &configuration) {
    return configuration.find(bad) == nullptr;
  };
  const auto outcome = worlds::explore(program, SearchSpace(all.dimensions), all.points, 1).value();
  EXPECT_EQ(outcome.decision.verdict, Verdict::better);
  EXPECT_EQ(outcome.decision.configuration.find(bad), nullptr);
  EXPECT_THAT(program.events, Contains(HasSubstr("cannot be had")));
}

TEST(Parts, ARotationThatIsEndedBeginsAgain) {
  const Many all = many(4, 5);
  HandlersProgram program(all.handlers, 1);
  int sample_count = 0;
  program.each_sample = [&] {
    if (++sample_count == 40)
      program.end_rotation("f1");
  };
  const auto outcome = worlds::explore(program, SearchSpace(all.dimensions), all.points, 1).value();
  EXPECT_EQ(program.starts["f1"], 2);
  EXPECT_GE(program.truth(outcome.decision.configuration), 0.98 * program.truth(all.best));
}

TEST(Parts, StoppedInTheMiddleAllIsAsItWas) {
  const Many all = many(6, 5);
  HandlersProgram program(all.handlers, 1);
  std::stop_source stop;
  int sample_count = 0;
  bool was_rotating = false;
  program.each_sample = [&] {
    if (++sample_count < 30)
      return;
    was_rotating = was_rotating || program.is_rotating();
    stop.request_stop();
  };
  const Configuration active{{"f0.a", 1}};
  EXPECT_FALSE(worlds::explore(program, SearchSpace(all.dimensions), all.points, 1, {},
                               stop.get_token(), active));
  EXPECT_TRUE(was_rotating);
  EXPECT_FALSE(program.is_rotating());
  EXPECT_EQ(program.active(), active);
}

TEST(Parts, APartTooLargeToBeRacedIsSearchedByItsCalls) {
  Many all = many(3, 5);
  // One handler has 1,000 configurations; the best takes two thirds of the time.
  all.handlers.push_back(
      {.name = "large", .cost = [](const Configuration &configuration) {
         double cost = 20'000;
         for (const char *label : {"x", "y", "z"})
           cost *= 1 + 0.02 * std::pow(static_cast<double>(value(configuration, label)) - 6.0, 2);
         return cost;
       }});
  for (const char *label : {"x", "y", "z"}) {
    all.dimensions.push_back(numbers(label, 9));
    all.points[label] = {"large"};
    all.best.set(label, 6);
  }
  HandlersProgram program(all.handlers, 1);
  const auto outcome = worlds::explore(program, SearchSpace(all.dimensions), all.points, 1).value();
  EXPECT_THAT(part_of(program, "large"), testing::Not(HasSubstr("error")));
  EXPECT_GE(program.truth(outcome.decision.configuration), 0.95 * program.truth(all.best));
}

TEST(Parts, FewConfigurationsAreRacedAllTogether) {
  const Many all = many(1, 5);
  HandlersProgram program(all.handlers, 1);
  const auto outcome = worlds::explore(program, SearchSpace(all.dimensions), all.points, 1).value();
  EXPECT_EQ(outcome.decision.configuration, all.best);
  EXPECT_TRUE(program.starts.empty());
}

} // namespace
} // namespace sartor
