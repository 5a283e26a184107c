// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "handlers/arithmetic.h"

namespace {

using nlohmann::json;

/// The log of one runtime, which is read line by line after the runtime was destroyed.
class EventLogOfARuntime : public testing::Test {
protected:
  EventLogOfARuntime() { options_.event_log = path_; }
  ~EventLogOfARuntime() override { std::filesystem::remove(path_); }

  [[nodiscard]] std::vector<json> events(const std::string &kind) const {
    std::vector<json> found;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);)
      if (json event = json::parse(line); event.at("event") == kind)
        found.push_back(event);
    return found;
  }

  std::string path_ = testing::TempDir() + "sartor_events_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name() + "_" +
                      std::to_string(getpid()) + ".jsonl";
  sartor::Options options_;
};

TEST_F(EventLogOfARuntime, ReportsCompilesAndSwitches) {
  {
    sartor::Runtime runtime(options_);
    runtime.specialize({{"factor", 3}});
    runtime.specialize({});
  }
  const auto compiles = events("compile");
  ASSERT_FALSE(compiles.empty());
  const json &last = compiles.back();
  EXPECT_EQ(last.at("handler"), "_Z5scalemmj");
  EXPECT_EQ(last.at("configuration"), json::parse(R"({"factor": 3})"));
  EXPECT_EQ(last.at("text"), "{factor=3}");
  EXPECT_EQ(last.at("quick"), false);
  EXPECT_GT(last.at("milliseconds"), 0);
  EXPECT_GT(last.at("code_bytes"), 0);
  const auto switches = events("switch");
  ASSERT_GE(switches.size(), 2U);
  EXPECT_EQ(switches[switches.size() - 2].at("text"), "{factor=3}");
  EXPECT_EQ(switches.back().at("text"), "{}");
  EXPECT_EQ(switches.back().at("handler"), "_Z5scalemmj");
}

TEST_F(EventLogOfARuntime, ReportsFailures) {
  {
    sartor::Runtime runtime(options_);
    (void)runtime.specialize_async({{"facter", 3}});
  }
  const auto failures = events("failure");
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].at("code"), "unknown_label");
  EXPECT_EQ(failures[0].at("text"), "{facter=3}");
  EXPECT_THAT(failures[0].dump(), testing::HasSubstr("factor"));
  EXPECT_THAT(failures[0].at("message").get<std::string>(), testing::Not(testing::HasSubstr("(")));
  EXPECT_FALSE(failures[0].at("remedy").get<std::string>().empty());
}

TEST_F(EventLogOfARuntime, ReportsGuardsThatFail) {
  {
    sartor::Runtime runtime(options_);
    auto call = runtime.handler<&scale>();
    runtime.specialize({{"factor", 3}});
    for (int i = 0; i < 5; ++i)
      call(7, 5, 1);
    EXPECT_TRUE(comes_true([&] { return !events("guards").empty(); }));
  }
  const auto guards = events("guards");
  ASSERT_EQ(guards.size(), 1U);
  EXPECT_EQ(guards[0].at("failures"), json::parse(R"({"factor": 5})"));
}

TEST_F(EventLogOfARuntime, ReportsGuardsThatFailInAChild) {
  sartor::Runtime runtime(options_);
  auto scaled = runtime.handler<&scale>();
  runtime.specialize({{"factor", 3}});
  const pid_t child = fork();
  if (child == 0) {
    const auto is_reported = [&] {
      scaled(7, 4, 1);
      return !events("guards").empty();
    };
    _exit(comes_true(is_reported) ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(EventLogOfARuntime, TakesTheProgramsOwnEvents) {
  {
    sartor::Runtime(options_).log_event("phase", R"({"n": 64})");
  }
  const auto phases = events("phase");
  ASSERT_EQ(phases.size(), 1U);
  EXPECT_EQ(phases[0].at("n"), 64);
}

TEST_F(EventLogOfARuntime, IsWhereTheEnvironmentSays) {
  options_.event_log = "/nowhere/at/all.jsonl";
  setenv("SARTOR_EVENT_LOG", path_.c_str(), 1);
  {
    sartor::Runtime runtime(options_);
    runtime.specialize({{"factor", 3}});
  }
  unsetenv("SARTOR_EVENT_LOG");
  EXPECT_FALSE(events("switch").empty());
}

TEST_F(EventLogOfARuntime, StaysTheProgramsWhereTheEnvironmentsCannotBeWritten) {
  setenv("SARTOR_EVENT_LOG", "/nowhere/at/all.jsonl", 1);
  testing::internal::CaptureStderr();
  {
    sartor::Runtime runtime(options_);
    runtime.specialize({{"factor", 3}});
    EXPECT_NO_THROW(sartor::Runtime{options_});
  }
  unsetenv("SARTOR_EVENT_LOG");
  EXPECT_FALSE(events("switch").empty());
  const std::string reported = testing::internal::GetCapturedStderr();
  EXPECT_THAT(reported, testing::HasSubstr("SARTOR_EVENT_LOG"));
  EXPECT_THAT(reported, testing::HasSubstr("/nowhere/at/all.jsonl"));
  EXPECT_EQ(reported.find("sartor:"), reported.rfind("sartor:")) << "told once";
}

TEST_F(EventLogOfARuntime, TakesConfigurationsThatAreNoUtf8) {
  {
    sartor::Runtime runtime(options_);
    EXPECT_THROW(runtime.specialize({{"factor", "caf\xe9"}}), sartor::Error);
    EXPECT_THROW(runtime.specialize({{"caf\xe9", 3}}), sartor::Error);
    EXPECT_THROW(runtime.specialize_async({{"caf\xe9", 3}}).get(), sartor::Error);
    EXPECT_THROW(runtime.constrain({.forbidden = {{{"caf\xe9", "\xff"}}}}), sartor::Error);
    EXPECT_THROW((void)sartor::Profile::from_json("{\"\xff\":1}"), sartor::Error);
    EXPECT_THROW((void)sartor::Configuration::from_json("{\"\xff\":1}"), sartor::Error);
  }
  const auto failures = events("failure");
  ASSERT_EQ(failures.size(), 3U);
  EXPECT_EQ(failures[0].at("text"), "{factor=caf\uFFFD}");
}

} // namespace
