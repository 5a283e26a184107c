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
#include <numeric>
#include <string>
#include <thread>
#include <utility>
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
  std::uint64_t weight = 1;
  for (int i = 0; i < 16; ++i)
    weight = (weight * 31 + count) % (1000 + more);
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < count; ++i)
    sum += a[i] * b[i];
  return sum * weight;
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

  /// Works until the log has `number` events that fulfil a condition, and returns the last.
  Json until(unsigned count, const std::function<bool(const Json &)> &is_wanted, int number = 1) {
    for (;;) {
      work(count);
      if (HasFatalFailure())
        return {};
      std::ifstream log(log_);
      int found = 0;
      for (std::string line; std::getline(log, line);) {
        const Json event = Json::parse(line, nullptr, /*allow_exceptions=*/false);
        if (event.is_object() && event.contains("pid") == is_child_of_tuned_ && is_wanted(event) &&
            ++found == number)
          return event;
      }
    }
  }

  /// True for what the tuner has found about a handler.
  static bool is_about(const Json &event, const std::string &handler) {
    return event["event"] == "automatic" &&
           event["handler"].get<std::string>().find(handler) != std::string::npos;
  }
  static std::function<bool(const Json &)> about(std::string handler) {
    return [handler = std::move(handler)](const Json &event) { return is_about(event, handler); };
  }
  /// True if a variant of dot() for this count and 3 was compiled. Whether it is measured to be
  /// better depends on how busy the machine is.
  static std::function<bool(const Json &)> tried(unsigned count) {
    return [count](const Json &event) {
      return event["event"] == "compile" &&
             event["configuration"] == Json{{"auto.dot.count", count}, {"auto.dot.more", 3}};
    };
  }

  std::string log_;
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
              (void)until(9, tried(9));
              (void)until(9, about("dot"));
              EXPECT_EQ(until(9, about("mixed"))["outcome"], "values_vary");
              EXPECT_EQ(until(9, about("seldom"))["outcome"], "seldom_called");

              // The variant's assumption is wrong from now on: its guard keeps results right, and a
              // later round finds the new value.
              (void)until(17, tried(17));
            }),
            0);
}

TEST_F(AutomaticTuner, KeepsWhatIsMeasuredToBeBetter) {
  constexpr int undecided = 256 * 77; // as a status of waitpid()
  const int status = status_of_child([&] {
    start();
    for (int rounds = 1; rounds <= 3; ++rounds) {
      const Json found = until(9, about("dot"), rounds);
      if (found["outcome"] == "undecided")
        continue;
      EXPECT_EQ(found["outcome"], "better") << found;
      EXPECT_EQ(found["configuration"]["auto.dot.count"], 9) << found;
      EXPECT_GT(found["gain"], 0) << found;
      return;
    }
    _exit(77);
  });
  if (status == undecided)
    GTEST_SKIP() << "the machine is too busy to decide";
  EXPECT_EQ(status, 0);
}

TEST_F(AutomaticTuner, LeavesDirectCallsOfOtherHandlersToTheProgramsRuntime) {
  EXPECT_EQ(status_of_child([&] {
              start();
              (void)until(9, about("dot"));
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
              EXPECT_EQ(status_of_child([&] { (void)until(9, about("dot")); }), 0);
            }),
            0);
}

TEST_F(AutomaticTuner, GoesOnInAChildOfATunedProcess) {
  EXPECT_EQ(status_of_child([&] {
              start();
              (void)until(9, about("dot"));
              EXPECT_EQ(status_of_child([&] {
                          is_child_of_tuned_ = true;
                          (void)until(17, tried(17));
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
