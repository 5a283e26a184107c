// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of an explorer's options: everything that lists them is generated from it or checked
// against it here.
#include "paths.h"
#include "tuner/options.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include <nlohmann/json.hpp>

namespace sartor {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

std::size_t options_in_table() {
  std::size_t count = 0;
  ExplorerOptions options;
  each_option(options, [&](const OptionText &, auto &) { ++count; });
  return count;
}

TEST(OptionsTable, HasEveryMember) {
  // Does not compile if a member is added or removed: the table then needs a change.
  const auto &[slice, longest_sample_time, events_per_sample, settle, choices, unguarded,
               error_probability, tolerance, most_samples, confirm_for, most_trials,
               regression_budget, watch, detection_budget, detection_window, signature, journal,
               best_known, strategy] = ExplorerOptions();
  constexpr std::size_t members = 19, functions = 2; // signature and strategy are functions
  EXPECT_EQ(options_in_table(), members - functions);
  EXPECT_FALSE(signature || strategy);
}

TEST(OptionsTable, HasARowInTheReferenceForEachOption) {
  std::ifstream file(paths::options_page());
  const std::string page(std::istreambuf_iterator<char>(file), {});
  ExplorerOptions options;
  each_option(options, [&](const OptionText &text, auto &) {
    const std::string row = "| `" + std::string(text.name) + "` | ";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  });
}

TEST(OptionsTable, DescribesItselfInItsOwnWords) {
  const Json described = Json::parse(ExplorerOptions::describe());
  EXPECT_EQ(described.size(), options_in_table() + 2); // strategy and seed, by name
  Json all = Json::object();
  for (const Json &option : described) {
    EXPECT_FALSE(option["says"].get<std::string>().empty()) << option;
    if (option["name"] != "strategy")
      all[option["name"].get<std::string>()] = option["default"];
  }
  const ExplorerOptions options = ExplorerOptions::from_json(all.dump());
  EXPECT_EQ(options.sample_time, ExplorerOptions().sample_time);
  EXPECT_EQ(options.confirm_for, ExplorerOptions().confirm_for);
  EXPECT_EQ(options.settle, std::nullopt);
  EXPECT_EQ(options.most_trials, ExplorerOptions().most_trials);
}

TEST(OptionsFromJson, AreTaken) {
  const ExplorerOptions options = ExplorerOptions::from_json(
      R"({"sample_time":0.004,"settle":0.01,"detect_changes":false,"best_known":"/var/lib/w","unguarded":["B"],
          "choices":{"N":[64,256]},"strategy":"random","seed":7})");
  EXPECT_EQ(options.sample_time, 4ms);
  EXPECT_EQ(options.settle, 10ms);
  EXPECT_FALSE(options.detect_changes);
  EXPECT_EQ(options.best_known, "/var/lib/w");
  EXPECT_TRUE(options.unguarded.contains("B"));
  EXPECT_EQ(options.choices.at("N").size(), 2U);
  EXPECT_TRUE(options.strategy);
}

Failure failure_of(const char *text) {
  try {
    (void)ExplorerOptions::from_json(text);
  } catch (const Error &error) {
    return error.failure();
  }
  return {};
}

TEST(OptionsFromJson, OfAnotherTypeAreNamed) {
  ExplorerOptions options;
  each_option(options, [&](const OptionText &text, auto &) {
    const std::string json = "{\"" + std::string(text.name) + "\":[[]]}";
    EXPECT_EQ(failure_of(json.c_str()).code, ErrorCode::bad_json) << json;
    EXPECT_EQ(failure_of(json.c_str()).subject, text.name);
  });
}

TEST(OptionsFromJson, ChoicesThatAreNoListAreRefused) {
  for (const char *values : {"null", "{}", "5", "[[]]"}) {
    const std::string json = R"({"choices":{"N":)" + std::string(values) + "}}";
    EXPECT_EQ(failure_of(json.c_str()).code, ErrorCode::bad_json) << json;
  }
  EXPECT_TRUE(ExplorerOptions::from_json(R"({"choices":{"N":[]}})").choices.at("N").empty());
}

TEST(OptionsFromJson, UnknownOnesAreReportedWithWhatIsLikeThem) {
  const Failure failure = failure_of(R"({"best_knwon":"x"})");
  EXPECT_EQ(failure.code, ErrorCode::bad_json);
  EXPECT_NE(failure.remedy.find("best_known"), std::string::npos) << failure.text();
}

TEST(OptionsFromJson, AStrategyThatThereIsNotIsRefused) {
  EXPECT_EQ(failure_of(R"({"strategy":"guess"})").code, ErrorCode::bad_objective);
}

TEST(OptionsOutOfRange, AreNamed) {
  const auto subject = [](auto change) {
    ExplorerOptions options;
    change(options);
    const auto checked = check(options);
    return checked ? std::string() : checked.error().subject;
  };
  EXPECT_EQ(subject([](auto &) {}), "");
  EXPECT_EQ(subject([](auto &options) { options.sample_time = 0us; }), "sample_time");
  EXPECT_EQ(subject([](auto &options) { options.longest_sample_time = 1us; }),
            "longest_sample_time");
  EXPECT_EQ(subject([](auto &options) { options.error_probability = 1; }), "error_probability");
  EXPECT_EQ(subject([](auto &options) { options.tolerance = std::nan(""); }), "tolerance");
  EXPECT_EQ(subject([](auto &options) { options.settle = -1us; }), "settle");
  EXPECT_EQ(subject([](auto &options) { options.most_samples = 0; }), "most_samples");
  // More than the clock can represent, once multiplied.
  EXPECT_EQ(subject([](auto &options) { options.longest_sample_time = options.sample_time.max(); }),
            "longest_sample_time");
  EXPECT_EQ(subject([](auto &options) { options.settle = 200'000h; }), "settle");
  EXPECT_EQ(subject([](auto &options) { options.confirm_for = options.confirm_for.max(); }),
            "confirm_for");
  EXPECT_EQ(
      subject([](auto &options) { options.detection_window = options.detection_window.max(); }),
      "detection_window");
  EXPECT_EQ(subject([](auto &options) { options.detection_window = 1000h; }), "");
  EXPECT_EQ(subject([](auto &options) { options.regression_budget = 1.5; }), "regression_budget");
  EXPECT_EQ(subject([](auto &options) { options.detection_budget = 0; }), "detection_budget");
}

} // namespace
} // namespace sartor
