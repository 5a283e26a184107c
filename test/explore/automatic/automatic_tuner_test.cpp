// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that knows nothing of Sartor: its automatic handlers are tuned while it runs.
#include "handlers.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sartor/automatic.h>
#include <sartor/runtime.hpp>

namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

std::uint64_t expected_dot(const std::uint64_t *a, const std::uint64_t *b, unsigned count,
                           unsigned more) {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < count; ++i)
    sum += a[i] * b[i] % (count + more);
  return sum;
}

/// Runs a function in a child process, and returns 0 if no expectation fails there.
int status_of_child(const std::function<void()> &run) {
  const pid_t child = fork();
  if (child == 0) {
    run();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

/// Returns how often the tuner's thread has gone to sleep.
unsigned naps_of_tuner() {
  for (const auto &thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(thread.path() / "status");
    bool is_tuner = false;
    for (std::string word; status >> word;) {
      is_tuner |= word == "sartor-auto";
      if (unsigned count = 0; is_tuner && word == "voluntary_ctxt_switches:" && status >> count)
        return count;
    }
  }
  return 0;
}

class AutomaticTuner : public testing::Test {
protected:
  AutomaticTuner() {
    std::iota(a_.begin(), a_.end(), 0x9e37'79b9'7f4a'7c15U);
    std::iota(b_.begin(), b_.end(), ~0ULL / 3);
    const auto log = std::filesystem::path(testing::TempDir()) /
                     ("automatic." + std::to_string(getpid()) + ".log");
    log_ = log.string();
    setenv("SARTOR_EVENT_LOG", log_.c_str(), 1);
  }
  ~AutomaticTuner() override { std::filesystem::remove(log_); }

  /// As a constructor of the program does. Each test is in a process of its own, in which nothing
  /// has been started yet.
  static void start() { sartor_auto_start(__start_sartor_modules, __stop_sartor_modules); }

  /// Calls all handlers, and checks each result.
  void work(unsigned count) {
    for (int i = 0; i < 2000; ++i) {
      ASSERT_EQ(dot(a_.data(), b_.data(), count, 3), expected_dot(a_.data(), b_.data(), count, 3));
      ASSERT_NE(mixed(++value_), 0);
    }
  }

  /// Works until there is another `automatic` event of a handler. An exploration that could not
  /// decide does not count: it is repeated.
  Json next(const std::string &handler, unsigned count) {
    for (;;) {
      work(count);
      if (HasFatalFailure())
        return {};
      std::ifstream log(log_);
      std::vector<Json> found;
      for (std::string line; std::getline(log, line);) {
        const Json event = Json::parse(line, nullptr, /*allow_exceptions=*/false);
        if (event.is_object() && event["event"] == "automatic" && event["outcome"] != "undecided" &&
            event["handler"].get<std::string>().find(handler) != std::string::npos &&
            event.contains("pid") == is_child_of_tuned_)
          found.push_back(event);
      }
      if (found.size() > seen_[handler])
        return found[seen_[handler]++];
    }
  }

  std::string log_;
  std::map<std::string, std::size_t> seen_;
  bool is_child_of_tuned_ = false; ///< Lines of such a child have its pid.

private:
  std::array<std::uint64_t, 64> a_{}, b_{};
  std::uint64_t value_ = 0;
};

TEST_F(AutomaticTuner, FindsConstantsAndFollowsTheirChanges) {
  EXPECT_EQ(status_of_child([&] {
              start();
              start(); // as from another file
              EXPECT_EQ(seldom(7), 21);

              const Json first = next("dot", 9);
              EXPECT_EQ(first["outcome"], "better") << first;
              EXPECT_EQ(first["configuration"]["auto.dot.count"], 9) << first;
              EXPECT_GT(first["gain_low"], 0) << first;
              EXPECT_EQ(next("mixed", 9)["outcome"], "values_vary");
              EXPECT_EQ(next("seldom", 9)["outcome"], "seldom_called");

              // What the variant assumes holds no longer: its guard keeps results right, and a
              // later round finds the new value.
              const Json second = next("dot", 17);
              EXPECT_EQ(second["outcome"], "better") << second;
              EXPECT_EQ(second["configuration"]["auto.dot.count"], 17) << second;
            }),
            0);
}

TEST_F(AutomaticTuner, LeavesDirectCallsOfOtherHandlersToTheProgramsRuntime) {
  EXPECT_EQ(status_of_child([&] {
              start();
              (void)next("dot", 9);
              sartor::Runtime runtime;
              runtime.specialize({{"own.value", 4}});
              EXPECT_EQ(own(4), 20);
              std::ifstream log(log_);
              for (std::string line; std::getline(log, line);)
                EXPECT_FALSE(line.contains(R"("event":"direct_calls")") && line.contains("own"))
                    << line;
            }),
            0);
}

TEST_F(AutomaticTuner, ReportsHandlersThatCannotBeOpened) {
  EXPECT_EQ(status_of_child([&] {
              static sartor_module damaged = *__start_sartor_modules;
              damaged.bitcode_size = 7;
              sartor_auto_start(&damaged, &damaged + 1);
              std::string text;
              while (!text.contains("automatic_failed")) {
                work(9);
                std::ifstream log(log_);
                text.assign(std::istreambuf_iterator(log), {});
              }
              EXPECT_TRUE(text.contains(R"("code":)")) << text;
            }),
            0);
}

TEST_F(AutomaticTuner, BeginsInAChildProcessThatWorks) {
  EXPECT_EQ(status_of_child([&] {
              start();
              EXPECT_EQ(status_of_child([&] { EXPECT_EQ(next("dot", 9)["outcome"], "better"); }),
                        0);
            }),
            0);
}

TEST_F(AutomaticTuner, GoesOnInAChildOfATunedProcess) {
  EXPECT_EQ(status_of_child([&] {
              start();
              EXPECT_EQ(next("dot", 9)["outcome"], "better");
              EXPECT_EQ(status_of_child([&] {
                          is_child_of_tuned_ = true;
                          seen_.clear();
                          const Json found = next("dot", 17);
                          EXPECT_EQ(found["outcome"], "better");
                          EXPECT_EQ(found["configuration"]["auto.dot.count"], 17) << found;
                        }),
                        0);
            }),
            0);
}

TEST_F(AutomaticTuner, SleepsLongWhileTheProcessIsIdle) {
  EXPECT_EQ(status_of_child([&] {
              start();
              std::this_thread::sleep_for(std::chrono::seconds(3));
              const unsigned naps = naps_of_tuner();
              EXPECT_GE(naps, 1);
              EXPECT_LE(naps, 40); // 150 of the shortest
            }),
            0);
}

TEST_F(AutomaticTuner, DoesNotDelayTheEndOfTheProgram) {
  for (const int milliseconds : {1, 1050, 1300, 2500})
    EXPECT_EQ(status_of_child([&] {
                start();
                const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
                while (Clock::now() < end)
                  work(9);
                std::exit(HasFailure() ? 1 : 0); // while it samples, compiles or explores
              }),
              0)
        << milliseconds;
}

} // namespace
