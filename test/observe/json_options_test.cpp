// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/json_options.h"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/runtime_options.h"

namespace sartor {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

/// The error of one option that is read from a value.
template <class Member> std::string error_of(const char *value, core::Range range = {}) {
  Member member{};
  const auto read =
      core::read_options({{"name", *parse_json(value)}}, {{"name", member, range}}, "is no option");
  if (read)
    return "";
  EXPECT_EQ(read.error().code, ErrorCode::bad_json);
  EXPECT_EQ(read.error().subject, "name");
  EXPECT_FALSE(read.error().remedy.empty());
  return read.error().message;
}

TEST(JsonOptions, AreReadByTheTypeOfTheirMembers) {
  bool flag = false;
  double number = 0;
  unsigned count = 0;
  std::string text = "before";
  std::filesystem::path path;
  std::chrono::milliseconds duration{};
  std::optional<std::chrono::microseconds> settle, unset;
  const auto read = core::read_options(
      *parse_json(R"({"flag":true,"number":-0.5,"count":7,"path":"/a","duration":0.25,
                      "settle":1,"unset":null})"),
      {{"flag", flag},
       {"number", number},
       {"count", count},
       {"text", text},
       {"path", path},
       {"duration", duration},
       {"settle", settle},
       {"unset", unset}},
      "is no option");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(flag);
  EXPECT_EQ(number, -0.5);
  EXPECT_EQ(count, 7U);
  EXPECT_EQ(text, "before");
  EXPECT_EQ(path, "/a");
  EXPECT_EQ(duration, 250ms);
  EXPECT_EQ(settle, 1s);
  EXPECT_FALSE(unset);
}

TEST(JsonOptions, ErrorsSayTheKindOfValue) {
  EXPECT_EQ(error_of<bool>("1"), "1 is neither true nor false");
  EXPECT_EQ(error_of<double>("[]"), "[] is no number");
  EXPECT_EQ(error_of<std::uint64_t>("-1"), "-1 is no count");
  EXPECT_EQ(error_of<std::uint8_t>("256"), "256 is no count");
  EXPECT_EQ(error_of<std::string>("null"), "null is no text");
  EXPECT_EQ(error_of<std::filesystem::path>("{}"), "{} is no path");
  EXPECT_EQ(error_of<std::chrono::milliseconds>("1e300"), "1e+300 is no duration");
  EXPECT_EQ(error_of<std::optional<std::chrono::microseconds>>("\"1\""), "\"1\" is no duration");
  EXPECT_EQ(error_of<std::set<std::string>>("[1]"), "[1] is no list of labels");
}

TEST(JsonOptions, NumbersHaveLimits) {
  const core::Range range{.above = 0, .most = 1};
  EXPECT_EQ(error_of<double>("1", range), "");
  EXPECT_EQ(error_of<double>("0", range), "0 is not above 0.0 and at most 1.0");
  EXPECT_EQ(error_of<std::chrono::seconds>("2", range), "2 is not above 0.0 and at most 1.0");
  EXPECT_FALSE(range.contains(std::numeric_limits<double>::quiet_NaN()));
}

Failure failure_of(const std::string &json) {
  const auto options = options_from_json(json);
  return options ? Failure{} : options.error();
}

TEST(RuntimeOptions, AreReadByName) {
  const auto options = options_from_json(
      R"({"compile_timeout":0.5,"perf":"dump","compiler":"unix:/socket","compiler_key":"key",
          "verify":"first=3","quick_tier":false,"disk_cache_bytes":12,"event_log":"/log"})");
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->compile_timeout, 500ms);
  EXPECT_EQ(options->perf, PerfNames::dump);
  EXPECT_EQ(options->compiler, CompilerLocation::server);
  EXPECT_EQ(options->compiler_server.address, "unix:/socket");
  EXPECT_EQ(options->compiler_server.key, "key");
  EXPECT_EQ(options->verify.first_calls, 3U);
  EXPECT_FALSE(options->quick_tier);
  EXPECT_EQ(options->disk_cache_bytes, 12U);
  EXPECT_EQ(options->event_log, "/log");
}

TEST(RuntimeOptions, WrongValuesAreNamed) {
  struct Row {
    const char *option;
    const char *message;
    const char *remedy;
  };
  for (const auto &[option, message, remedy] :
       {Row{R"("compile_timeout":0)", "0 is not above 0.0", "give one that is"},
        Row{R"("compile_timeout":1e9)", "is no duration", "give it in seconds"},
        Row{R"("compile_timeout":"1")", "\"1\" is no duration", "give it in seconds"},
        Row{R"("perf":"all")", "is not what this option takes", "write map, dump"},
        Row{R"("perf":1)", "1 is not what this option takes", "write map, dump"},
        Row{R"("compiler":"somewhere")", "is not what this option takes", "write in-process"},
        Row{R"("verify":"first=x")", "is not what this option takes", "write on, off, all"},
        Row{R"("quick_tier":1)", "1 is neither true nor false", "give one of them"},
        Row{R"("event_log":1)", "1 is no path", "give the name of a file"},
        Row{R"("code_cache_bytes":-1)", "-1 is no count", "give a whole number, not negative"},
        Row{R"("code_cache_bytes":1.5)", "1.5 is no count", "give a whole number"}}) {
    const Failure failure = failure_of("{" + std::string(option) + "}");
    EXPECT_EQ(failure.code, ErrorCode::bad_json) << option;
    EXPECT_THAT(option, HasSubstr("\"" + failure.subject + "\"")) << option;
    EXPECT_THAT(failure.message, HasSubstr(message)) << option;
    EXPECT_THAT(failure.remedy, StartsWith(remedy)) << option;
  }
}

TEST(RuntimeOptions, UnknownOnesAreReportedWithTheNearest) {
  const Failure failure = failure_of(R"({"compile_timeouts":1})");
  EXPECT_EQ(failure.code, ErrorCode::bad_json);
  EXPECT_EQ(failure.subject, "compile_timeouts");
  EXPECT_EQ(failure.message, "is no option");
  EXPECT_THAT(failure.remedy, StartsWith("did you mean \"compile_timeout\""));
}

TEST(RuntimeOptions, AreAnObject) {
  for (const char *text : {"", "[]", "1", "{\"perf\""}) {
    EXPECT_EQ(failure_of(text).subject, "options") << text;
    EXPECT_EQ(failure_of(text).message, "is not a JSON object") << text;
  }
}

} // namespace
} // namespace sartor
