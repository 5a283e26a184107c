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

/// Runs a function in a child process.
pid_t start_child(const std::function<void()> &run) {
  const pid_t child = fork();
  if (child == 0) {
    run();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  return child;
}

/// Returns 0 if no expectation has failed in a child process.
int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

int status_of_child(const std::function<void()> &run) { return status_of(start_child(run)); }

constexpr int undecided = 256 * 77; // as a status of waitpid()

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
    use_log(log.string());
  }
  ~AutomaticTuner() override {
    std::filesystem::remove(log_);
    std::filesystem::remove_all(cache_);
  }

  void use_log(const std::string &path) {
    std::filesystem::remove(log_);
    log_ = path;
    setenv("SARTOR_EVENT_LOG", log_.c_str(), 1);
  }
  /// Keeps decisions.
  void use_cache() {
    std::filesystem::remove_all(cache_);
    setenv("SARTOR_CACHE_DIR", cache_.c_str(), 1);
  }

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

  /// Starts, and works until the tuner has decided about dot(), or found a decision. Ends the
  /// process with a status of its own if the machine is too busy to decide.
  Json decide() {
    start();
    const auto is_decision = [](const Json &event) {
      return is_about(event, "dot") || is_recalled(event);
    };
    for (int rounds = 1; rounds <= 3; ++rounds)
      if (Json found = until(9, is_decision, rounds);
          HasFailure() || found["outcome"] != "undecided")
        return found;
    _exit(77);
  }

  /// True if an event of the log fulfils a condition.
  [[nodiscard]] bool has_logged(const std::function<bool(const Json &)> &is_wanted) const {
    std::ifstream log(log_);
    for (std::string line; std::getline(log, line);)
      if (const Json event = Json::parse(line, nullptr, /*allow_exceptions=*/false);
          event.is_object() && is_wanted(event))
        return true;
    return false;
  }

  /// True for what the tuner has found about a handler.
  static bool is_about(const Json &event, const std::string &handler) {
    return event["event"] == "automatic" &&
           event["handler"].get<std::string>().find(handler) != std::string::npos;
  }
  static std::function<bool(const Json &)> about(std::string handler) {
    return [handler = std::move(handler)](const Json &event) { return is_about(event, handler); };
  }
  /// True for a decision about dot() of an earlier start.
  static bool is_recalled(const Json &event) {
    return event["event"] == "automatic_recalled" &&
           event["handler"].get<std::string>().find("dot") != std::string::npos;
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
  const std::filesystem::path cache_ = std::filesystem::path(testing::TempDir()) /
                                       ("automatic." + std::to_string(getpid()) + ".cache");
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
  const int status = status_of_child([&] {
    const Json found = decide();
    EXPECT_EQ(found["outcome"], "better") << found;
    EXPECT_EQ(found["configuration"]["auto.dot.count"], 9) << found;
    EXPECT_GT(found["gain"], 0) << found;
  });
  if (status == undecided)
    GTEST_SKIP() << "the machine is too busy to decide";
  EXPECT_EQ(status, 0);
}

TEST_F(AutomaticTuner, BeginsWithTheDecisionsOfTheLastStart) {
  use_cache();
  const int status = status_of_child([&] { (void)decide(); });
  if (status == undecided)
    GTEST_SKIP() << "the machine is too busy to decide";
  ASSERT_EQ(status, 0);
  Json decided;
  EXPECT_TRUE(has_logged([&](const Json &event) {
    if (is_about(event, "dot"))
      decided = event;
    return is_about(event, "dot") && event["outcome"] != "undecided";
  }));

  use_log(log_ + ".next");
  EXPECT_EQ(status_of_child([&] {
              start();
              const Json recalled = until(9, is_recalled);
              EXPECT_EQ(recalled["configuration"], decided["configuration"]);
              EXPECT_EQ(recalled["explored_again"], false) << recalled;
              EXPECT_GE(recalled["age"], 0) << recalled;
              if (!recalled["configuration"].empty())
                EXPECT_TRUE(has_logged([&](const Json &event) {
                  return event["event"] == "switch" &&
                         event["configuration"] == recalled["configuration"];
                }));
              // The first round looks at this handler last. The values of dot() are the same.
              (void)until(9, about("seldom"));
              EXPECT_FALSE(has_logged(about("dot")));
            }),
            0);

  use_log(log_ + ".changed");
  EXPECT_EQ(status_of_child([&] {
              start();
              (void)until(17, is_recalled); // guards keep results right
              (void)until(17, tried(17));
            }),
            0);
}

TEST_F(AutomaticTuner, IgnoresDecisionsInDamagedFiles) {
  use_cache();
  const int status = status_of_child([&] { (void)decide(); });
  if (status == undecided)
    GTEST_SKIP() << "the machine is too busy to decide";
  ASSERT_EQ(status, 0);
  for (const auto &file : std::filesystem::directory_iterator(cache_))
    std::ofstream(file.path(), std::ios::app) << "more";

  use_log(log_ + ".next");
  EXPECT_EQ(status_of_child([&] {
              start();
              (void)until(9, about("dot"));
              EXPECT_TRUE(
                  has_logged([](const Json &event) { return event["event"] == "cache_damaged"; }));
              EXPECT_FALSE(has_logged(is_recalled));
            }),
            0);
}

TEST_F(AutomaticTuner, SharesDecisionsWithAnotherProcess) {
  use_cache();
  const std::string log = log_;
  const auto start_one = [&](const std::string &name) {
    return start_child([&] {
      use_log(log + name);
      (void)decide();
      std::filesystem::remove(log_);
    });
  };
  const pid_t one = start_one(".one"), other = start_one(".other");
  const int status = status_of(one), other_status = status_of(other);
  for (const char *name : {".one", ".other"})
    std::filesystem::remove(log + name);
  if (status == undecided && other_status == undecided)
    GTEST_SKIP() << "the machine is too busy to decide";
  EXPECT_TRUE(status == 0 || status == undecided);
  EXPECT_TRUE(other_status == 0 || other_status == undecided);
  EXPECT_EQ(status_of_child([&] {
              start();
              (void)until(9, is_recalled);
              EXPECT_FALSE(has_logged([](const Json &event) {
                return event["event"] == "cache_damaged" || event["event"] == "automatic_failed";
              }));
            }),
            0);
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
