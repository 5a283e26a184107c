// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <sartor/sartor.hpp>

#include "elsewhere.h"
#include "library.h"
#include "runtime/dispatch/call_rotation.h"

using namespace std::chrono_literals;

namespace {

sartor::Configuration unguarded(long n) { return {{"n", sartor::unguarded(n)}}; }

void wait_until_released(const sartor::Runtime &runtime) {
  while (runtime.statistics().waiting > 0)
    std::this_thread::sleep_for(1ms);
}

/// Expects that no thread is counted as being within a call.
void expect_nobody_inside(sartor::Runtime &runtime) {
  runtime.specialize(unguarded(5));
  runtime.specialize({});
  std::thread(wait_until_released, std::cref(runtime)).join();
}

TEST(DirectCall, IsNativeBeforeAndAfterARuntime) {
  EXPECT_EQ(times(10, 2), 20);
  {
    sartor::Runtime runtime;
    EXPECT_EQ(times(10, 2), 20);
    runtime.specialize(unguarded(3));
    EXPECT_EQ(times(10, 2), 30);
    runtime.specialize({});
    EXPECT_EQ(times(10, 2), 20);
    runtime.specialize(unguarded(5));
    EXPECT_EQ(times(10, 2), 50);
  }
  EXPECT_EQ(times(10, 2), 20);
  EXPECT_EQ(checked_times(10, 2), 20);
}

TEST(DirectCall, ReachesTheVariantFromEverywhere) {
  sartor::Runtime runtime;
  runtime.specialize(unguarded(3));
  EXPECT_EQ(times_elsewhere(10, 2), 30);
  EXPECT_EQ(table[0](10, 2), 30);
  EXPECT_EQ(table[1](10, 2), 30);
  EXPECT_EQ(calls_in_header(10, 2), 30);
  EXPECT_EQ(hidden_times()(10, 2), 30);
  const std::unique_ptr<Scale> scale = std::make_unique<Scale>();
  EXPECT_EQ(scale->of(10, 2), 30);
  EXPECT_EQ(checked_times(10, 2), 30);
  EXPECT_EQ(handed_on(10, 2), 30);
}

TEST(DirectCall, HandlersHaveOneAddressAndHandles) {
  long (*const before)(long, long) = times;
  sartor::Runtime runtime;
  const auto handle = runtime.handler<&times>();
  runtime.specialize(unguarded(3));
  EXPECT_EQ(before, &times);
  EXPECT_EQ(handle(10, 2), 30);
  EXPECT_EQ(handle.function()(10, 2), 30);
  EXPECT_EQ(runtime.handler<long(long, long)>("times")(10, 2), 30);
  const auto bound = runtime.bind<&times>(sartor::_, 2L);
  bound.wait();
  EXPECT_EQ(bound(10), 30);
  expect_nobody_inside(runtime);
}

TEST(DirectCall, GuardsThatFailLeaveIntoNativeCode) {
  sartor::Runtime runtime;
  runtime.specialize({{"n", 3}});
  for (const long n : {2, 3, 5, 7})
    for (long (*const call)(long, long) :
         {static_cast<long (*)(long, long)>(times), checked_times, times_elsewhere, hidden_times()})
      EXPECT_EQ(call(10, n), 10 * n);
  EXPECT_GT(runtime.statistics().guard_failures.at("n"), 0U);
  expect_nobody_inside(runtime);
}

TEST(DirectCall, PassesArgumentsAndResultsOfAllKinds) {
  const Big big{{1, 2, 3, 4, 5, 6}};
  const auto check = [&](long n, long expected) {
    for (decltype(&checked_mixed) call : {decltype(&checked_mixed)(mixed), &checked_mixed}) {
      const Big result = call(100, 20.5, big, 3, 4, 50, 6, 7.5F, 800, n);
      EXPECT_EQ(result.parts[0], 121);
      EXPECT_EQ(result.parts[1], 36);
      EXPECT_EQ(result.parts[2], 47);
      EXPECT_EQ(result.parts[3], 811);
      EXPECT_EQ(result.parts[4], 5);
      EXPECT_EQ(result.parts[5], expected);
    }
  };
  check(2, 2);
  sartor::Runtime runtime;
  check(2, 2);
  runtime.specialize({{"n", 3}});
  check(3, 3);
  check(2, 2);
  runtime.specialize(unguarded(5));
  check(2, 5);
  expect_nobody_inside(runtime);
}

TEST(DirectCall, MayRecurse) {
  EXPECT_EQ(recurse(100, 2), 202);
  sartor::Runtime runtime;
  runtime.specialize({{"n", 3}});
  EXPECT_EQ(recurse(100, 2), 202);
  EXPECT_EQ(recurse(100, 3), 303);
  runtime.specialize(unguarded(5));
  EXPECT_EQ(recurse(100, 2), 505);
  expect_nobody_inside(runtime);
}

TEST(DirectCall, MayBeWithinAnother) {
  sartor::Runtime runtime;
  runtime.specialize(unguarded(3));
  const auto nested = [](long n) { return times(1, n) + checked_times(1, n) + recurse(0, n); };
  EXPECT_EQ(through(nested, 2), 27);
  EXPECT_EQ(through_in_place(nested, 2), 27);
  static const auto handle = runtime.handler<&times>();
  EXPECT_EQ(through_in_place([](long n) { return handle(1, n); }, 2), 9);
  const auto outer = runtime.handler<&through>();
  EXPECT_EQ(outer(nested, 2), 27);
  expect_nobody_inside(runtime);
}

TEST(DirectCall, LetsExceptionsPass) {
  const auto thrown = [] {
    try {
      return checked_times(-4, 2);
    } catch (long a) {
      return a;
    }
  };
  EXPECT_EQ(thrown(), -4);
  sartor::Runtime runtime;
  runtime.specialize(unguarded(3));
  EXPECT_EQ(thrown(), -4);
  EXPECT_THROW(through([](long) -> long { throw 1; }, 2), int);
  EXPECT_EQ(through([](long n) { return checked_times(1, n); }, 2), 9);
  expect_nobody_inside(runtime);
}

/// A thread that stays in a call until the test releases it.
class Inside {
public:
  explicit Inside(long (*handler)(long (*)(long), long)) {
    may_go_on = false;
    somebody_is_inside = false;
    thread_ = std::jthread([this, handler] {
      result_ = handler(
          [](long) {
            somebody_is_inside = true;
            somebody_is_inside.notify_all();
            may_go_on.wait(false);
            return 1L;
          },
          2);
    });
    somebody_is_inside.wait(false);
  }

  long go_on() {
    may_go_on = true;
    may_go_on.notify_all();
    thread_.join();
    return result_;
  }

private:
  static inline std::atomic<bool> may_go_on;
  static inline std::atomic<bool> somebody_is_inside;
  long result_ = 0;
  std::jthread thread_;
};

TEST(DirectCall, KeepsItsCode) {
  sartor::Options options;
  options.code_cache_bytes = 1;
  for (const auto handler : {through, through_in_place}) {
    sartor::Runtime runtime(options);
    runtime.specialize(unguarded(3));
    Inside inside(handler);
    for (int i = 0; i < 10; ++i)
      runtime.specialize(unguarded(i % 2 == 0 ? 5 : 2));
    EXPECT_GT(runtime.statistics().waiting, 0U);
    EXPECT_EQ(inside.go_on(), 3);
    wait_until_released(runtime);
  }
}

TEST(DirectCall, IsWaitedForByWhoRevokesAnInvariant) {
  for (const auto handler : {through, through_in_place}) {
    sartor::Runtime runtime;
    sartor::Invariant constant(&flag, sizeof flag);
    runtime.specialize(unguarded(3));
    EXPECT_EQ(flagged(7), 7);
    Inside inside(handler);
    std::atomic<bool> is_over = false;
    std::jthread breaker([&] {
      constant.invalidate();
      flag = 0;
      is_over = true;
    });
    std::this_thread::sleep_for(20ms);
    EXPECT_FALSE(is_over);
    EXPECT_EQ(inside.go_on(), 3);
    breaker.join();
    EXPECT_EQ(flagged(7), -7);
    flag = 1;
  }
}

TEST(DirectCall, MayBeLeftByLongjmp) {
  static std::jmp_buf back;
  sartor::Runtime runtime;
  for (int i = 0; i < 3; ++i) {
    runtime.specialize(unguarded(3));
    if (setjmp(back) == 0)
      through_in_place(
          [](long) -> long {
            times(1, 2);
            std::longjmp(back, 1);
          },
          2);
    EXPECT_EQ(times(10, 2), 30); // the result shows that the other call is over
    expect_nobody_inside(runtime);
  }
}

std::atomic<long> in_signal;

void call_in_signal(int) { in_signal = times(10, 2) + checked_times(1, 2) + recurse(3, 2); }

/// Handles SIGUSR1 during its lifetime.
class OnSignal {
public:
  explicit OnSignal(int flags) {
    struct sigaction action{};
    action.sa_handler = call_in_signal;
    action.sa_flags = flags;
    sigaction(SIGUSR1, &action, &before_);
  }
  ~OnSignal() { sigaction(SIGUSR1, &before_, nullptr); }
  OnSignal(const OnSignal &) = delete;
  OnSignal &operator=(const OnSignal &) = delete;

private:
  struct sigaction before_{};
};

TEST(DirectCall, MayBeInASignalHandler) {
  std::vector<char> memory(1 << 16);
  const stack_t other{.ss_sp = memory.data(), .ss_flags = 0, .ss_size = memory.size()};
  stack_t before{};
  ASSERT_EQ(sigaltstack(&other, &before), 0);
  sartor::Runtime runtime;
  for (const int flags : {0, SA_ONSTACK}) {
    const OnSignal on_signal(flags);
    runtime.specialize(unguarded(3));
    for (const auto handler : {through, through_in_place}) {
      in_signal = 0;
      EXPECT_EQ(handler(
                    [](long) {
                      raise(SIGUSR1);
                      return 1L;
                    },
                    2),
                3);
      EXPECT_EQ(in_signal, 45);
    }
    expect_nobody_inside(runtime);
  }
  ASSERT_EQ(sigaltstack(&before, nullptr), 0);
}

TEST(DirectCall, IsCountedByFiberAndThread) {
  static ucontext_t main_fiber;
  static ucontext_t fiber;
  static long result;
  sartor::Options options;
  options.code_cache_bytes = 1;
  for (const auto handler : {through, through_in_place}) {
    static long (*called)(long (*)(long), long);
    called = handler;
    sartor::Runtime runtime(options);
    runtime.specialize(unguarded(3));
    std::vector<char> stack(1 << 18);
    getcontext(&fiber);
    fiber.uc_stack = {.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
    fiber.uc_link = &main_fiber;
    makecontext(
        &fiber,
        [] {
          result = called(
              [](long) {
                swapcontext(&fiber, &main_fiber);
                return 1L;
              },
              2);
        },
        0);
    swapcontext(&main_fiber, &fiber);
    EXPECT_EQ(times(10, 2), 30);
    EXPECT_EQ(through_in_place([](long n) { return times(1, n); }, 2), 9);
    std::jthread([&] { runtime.specialize(unguarded(5)); }).join();
    EXPECT_GT(runtime.statistics().waiting, 0U);
    EXPECT_EQ(times(10, 2), 50);
    swapcontext(&main_fiber, &fiber);
    EXPECT_EQ(result, 3);
    expect_nobody_inside(runtime);
  }
}

TEST(DirectCall, IsSafeWhileVariantsComeAndGo) {
  sartor::Options options;
  options.code_cache_bytes = 1;
  sartor::Runtime runtime(options);
  const OnSignal on_signal(SA_RESTART);
  std::atomic<bool> stop = false;
  std::atomic<long> wrong = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&stop, &wrong, i] {
      for (long a = i; !stop; ++a) {
        const long n = std::array{2, 3, 5}[static_cast<std::size_t>(a % 3)];
        const bool right = times(a, n) == a * n && checked_times(a, n) == a * n &&
                           recurse(3, n) == 4 * n && calls_in_header(a, n) == a * n &&
                           through([](long m) { return times(1, m); }, n) == n * n;
        wrong += right ? 0 : 1;
        if (a % 64 == 0)
          try {
            checked_times(-1, n);
            ++wrong;
          } catch (long) { // expected
          }
      }
    });
  for (int i = 0; i < 40; ++i) {
    runtime.specialize(i % 4 == 3 ? sartor::Configuration()
                                  : sartor::Configuration{{"n", std::array{2, 3, 5}[i % 3]}});
    for (std::jthread &thread : threads)
      pthread_kill(thread.native_handle(), SIGUSR1);
  }
  stop = true;
  threads.clear();
  EXPECT_EQ(wrong, 0);
  expect_nobody_inside(runtime);
}

TEST(DirectCall, IsTimedByWhoMeasuresByCalls) {
  sartor::Runtime runtime;
  const std::vector<sartor::Configuration> others{{{"n", 3}}, {{"n", 5}}};
  for (const std::string handler : {"times", "checked_times"}) {
    long (*const call)(long, long) = handler == "times" ? times : checked_times;
    const auto rotation = sartor::rotate_calls(runtime, handler);
    const auto started = rotation->start(others, 0.5);
    ASSERT_TRUE(started) << started.error().text();
    std::vector<sartor::runtime::RotationSample> samples;
    while (samples.empty()) {
      for (long i = 0; i < 1000; ++i)
        EXPECT_EQ(call(i, 2 + i % 2), i * (2 + i % 2));
      EXPECT_TRUE(rotation->take(samples));
    }
    EXPECT_THROW(checked_times(-1, 2), long);
    rotation->stop();
    EXPECT_EQ(call(10, 2), 20);
  }
  expect_nobody_inside(runtime);
}

TEST(DirectCall, GoesOnInAChild) {
  sartor::Runtime runtime;
  runtime.specialize(unguarded(3));
  const auto forks = [](long n) {
    const pid_t child = fork();
    if (child == 0)
      _exit(times(10, n) == 30 ? 0 : 1);
    int status = 0;
    return waitpid(child, &status, 0) == child && status == 0 ? 1L : 0L;
  };
  EXPECT_EQ(through_in_place(forks, 2), 3);
  EXPECT_EQ(through(forks, 2), 3);
}

TEST(DirectCall, IsRoutedByTheFirstRuntimeThatComesByTheHandler) {
  const std::filesystem::path log =
      std::filesystem::temp_directory_path() / ("direct." + std::to_string(getpid()));
  std::optional<sartor::Runtime> first(std::in_place);
  first->specialize(unguarded(3));
  {
    sartor::Options options;
    options.event_log = log;
    sartor::Runtime second(options);
    second.specialize(unguarded(5));
    EXPECT_EQ(times(10, 2), 30);
    EXPECT_EQ(second.handler<&times>()(10, 2), 50);
    first.reset();
    EXPECT_EQ(times(10, 2), 20);
  }
  std::ifstream lines(log);
  const std::string text{std::istreambuf_iterator<char>(lines), {}};
  EXPECT_NE(text.find("\"event\":\"direct_calls\",\"handler\":\"_Z5timesll\""), std::string::npos);
  std::filesystem::remove(log);
  sartor::Runtime third;
  third.specialize(unguarded(5));
  EXPECT_EQ(times(10, 2), 50);
}

TEST(DirectCall, IsNativeWhereSartorIsOff) {
  setenv("SARTOR", "off", 1);
  sartor::Runtime runtime;
  unsetenv("SARTOR");
  runtime.specialize(unguarded(3));
  EXPECT_EQ(times(10, 2), 20);
  EXPECT_EQ(runtime.handler<&times>()(10, 2), 20);
}

TEST(DirectCall, CrossesLibraries) {
  EXPECT_EQ(times_of_other_library(10, 2), 20);
  specialize_library(3);
  EXPECT_EQ(times_of_other_library(10, 2), 30);
  EXPECT_EQ(library_times(10, 2), 30);
  end_library_runtime();
  EXPECT_EQ(times_of_other_library(10, 2), 20);
}

} // namespace
