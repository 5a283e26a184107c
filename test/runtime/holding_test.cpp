// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that wait for better code when a quasi-invariant is invalidated.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "handlers/rates.h"
#include "logged.h"

namespace {

using namespace std::chrono_literals;
using sartor::_;
using sartor::QuasiInvariant;
using sartor::QuasiInvariantOptions;
using sartor::Write;
using testing::HasSubstr;

constexpr long kBoth = kFirstIsFolded | kSecondIsFolded;

class Holding : public Logged {
protected:
  static QuasiInvariant quasi_invariant(const char *name, long Rates::*field,
                                        std::chrono::nanoseconds hold_callers = {},
                                        std::chrono::nanoseconds back_off = 10ms) {
    QuasiInvariantOptions options;
    options.hold_callers = hold_callers;
    options.back_off = options.longest_back_off = back_off;
    QuasiInvariant made(name, std::move(options));
    made.add_fields(rates, field);
    return made;
  }

  /// Calls continuously on so many threads; all results must equal those of plain code.
  void call_all_the_time(int threads, const std::function<Sums(long)> &call) {
    for (int i = 0; i < threads; ++i)
      callers_.emplace_back([this, call] {
        call(1); // the first call of a thread does not wait
        ++started_;
        for (long a = 1; !stop_; ++a) {
          const long folded = call(kWhatIsFolded).parts[0];
          bare_ += folded == 0 ? 1 : 0;
          const Rates before = now();
          const Sums got = call(a);
          const Rates after = now();
          if (before.first == after.first && before.second == after.second)
            wrong_ += is_right(got, before, a) ? 0 : 1;
          ++calls_;
        }
      });
    ASSERT_TRUE(comes_true([&] { return started_ == threads && calls_ > 0; }));
  }
  void end_calls() {
    stop_ = true;
    for (std::thread &caller : callers_)
      caller.join();
    callers_.clear();
    EXPECT_EQ(wrong_, 0);
    stop_ = false;
    calls_ = started_ = 0;
  }
  using Call = std::function<Sums(long)>;

  /// Calls wait while `first` is invalidated, and `second` never makes them wait. `make` gets the
  /// calls of a runtime. Repeated until one has waited: on a busy machine, no caller may run while
  /// the replacement is made.
  void expect_a_wait(const std::function<Call(sartor::Runtime &)> &make) {
    for (int i = 0; i < 30; ++i)
      if (callers_that_waited(make) > 0 || HasFailure())
        return;
    ADD_FAILURE() << "no caller has waited";
  }
  std::uint64_t callers_that_waited(const std::function<Call(sartor::Runtime &)> &make) {
    sartor::Runtime runtime(logged());
    const auto first = quasi_invariant("first", &Rates::first, 1h);
    EXPECT_TRUE(first.wait_until_valid(kPatience)); // no variant depends on `second` alone yet
    const auto second = quasi_invariant("second", &Rates::second);
    const Call call = make(runtime);
    EXPECT_TRUE(comes_true([&] { return call(kWhatIsFolded).parts[0] == kBoth; }));
    call_all_the_time(2, call);
    {
      const Write write(first);
      __atomic_fetch_add(&rates.first, 1, __ATOMIC_SEQ_CST);
      EXPECT_TRUE(comes_true([&] { return call(kWhatIsFolded).parts[0] == kSecondIsFolded; }));
    }
    end_calls();
    EXPECT_EQ(bare_, 0);
    EXPECT_EQ(second.figures().held_callers, 0U);
    return first.figures().held_callers;
  }
  static Rates now() {
    return {__atomic_load_n(&rates.first, __ATOMIC_SEQ_CST),
            __atomic_load_n(&rates.second, __ATOMIC_SEQ_CST)};
  }
  static bool is_right(const Sums &got, const Rates &by, long a) {
    const long numbers = a + 2L * 7 + 3L * 8 + 5L * 9, reals = 1 + 4 + 9 + 20 + 35 + 66 + 91 + 136;
    return got.parts[0] == numbers * by.first && got.parts[1] == reals * by.second &&
           got.parts[2] == 10 + by.first && got.parts[3] == 11 - by.second;
  }

  std::vector<std::thread> callers_;
  std::atomic<bool> stop_ = false;
  std::atomic<long> calls_ = 0;
  std::atomic<int> started_ = 0;
  std::atomic<long> bare_ = 0;
  std::atomic<long> wrong_ = 0;
};

/// Calls with the global rates and with arguments in all registers and on the stack.
template <class Priced> std::function<Sums(long)> call_of(const Priced &priced) {
  return [&priced](long a) { return priced(a, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11); };
}

auto bound_to(sartor::Runtime &runtime) {
  return runtime.bind<&priced>(static_cast<const Rates *>(&rates), _, _, _, _, _, _, _, _, _, _, _,
                               _, _, _);
}

Sums directly(long a) { return priced_directly(a, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11); }

TEST_F(Holding, NewCallersWaitForWhatCanBeMadeWithoutTheQuasiInvariant) {
  expect_a_wait([](sartor::Runtime &runtime) -> Call {
    const auto bound = std::make_shared<decltype(bound_to(runtime))>(bound_to(runtime));
    return [bound](long a) { return call_of(*bound)(a); };
  });
  EXPECT_TRUE(comes_true([&] { return log().find(R"("event":"held")") != std::string::npos; }));
  EXPECT_THAT(log(), HasSubstr(R"("in_time":true)"));
}

TEST_F(Holding, DirectCallsWaitToo) {
  expect_a_wait([](sartor::Runtime &runtime) -> Call {
    runtime.specialize({});
    return directly;
  });
}

TEST_F(Holding, PlainFunctionsWaitToo) {
  expect_a_wait([](sartor::Runtime &runtime) -> Call {
    const auto function = runtime.handler<&priced_directly>().function();
    runtime.specialize({});
    return [function](long a) { return function(a, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11); };
  });
}

// The replacement code is always available, and so is the previous code when it is valid again.
TEST_F(Holding, ResultsAreThoseOfPlainCodeWhileQuasiInvariantsAreInvalidatedAllTheTime) {
  sartor::Runtime runtime;
  const auto second = quasi_invariant("second", &Rates::second, 1ms, 1ms);
  const auto first = quasi_invariant("first", &Rates::first, 50ms, 1ms);
  const auto bound = bound_to(runtime);
  runtime.specialize({});
  call_all_the_time(1, call_of(bound));
  callers_.emplace_back([this] {
    while (!stop_)
      wrong_ += directly(kWhatIsFolded).parts[0] <= kBoth ? 0 : 1;
  });
  for (int i = 0; i < 60; ++i) {
    (i % 3 == 0 ? second : first).wait_until_valid(20ms);
    const Write write(i % 3 == 0 ? second : first);
    __atomic_fetch_add(i % 3 == 0 ? &rates.second : &rates.first, 1, __ATOMIC_SEQ_CST);
  }
  end_calls();
}

TEST_F(Holding, TheWriterAndCallsWithinHandlersDoNotWait) {
  sartor::Runtime runtime;
  const auto first = quasi_invariant("first", &Rates::first, 1h);
  ASSERT_TRUE(first.wait_until_valid(kPatience)); // no variant depends on `second` alone yet
  const auto second = quasi_invariant("second", &Rates::second);
  static std::function<void()> inside;
  const auto bound = bound_to(runtime);
  const auto call = call_of(bound);
  ASSERT_TRUE(comes_true([&] { return call(kWhatIsFolded).parts[0] == kBoth; }));
  const auto within = runtime.handler<&within_handler>();
  inside = [&] { call(1); };
  std::thread nested([&] {
    for (; !stop_; ++calls_)
      within([] { inside(); });
  });
  ASSERT_TRUE(comes_true([&] { return calls_ > 0; }));
  {
    const Write write(first);
    const Rates by = now();
    EXPECT_TRUE(is_right(call(1), by, 1));
    const long before = calls_;
    EXPECT_TRUE(comes_true([&] { return calls_ > before; }));
  }
  stop_ = true;
  nested.join();
  EXPECT_EQ(first.figures().held_callers, 0U);
}

TEST_F(Holding, NobodyWaitsForWhatIsThereAlready) {
  sartor::Runtime runtime(logged());
  const auto second = quasi_invariant("second", &Rates::second);
  auto first = quasi_invariant("first", &Rates::first, 1h, 1ms);
  const auto bound = bound_to(runtime);
  const auto call = call_of(bound);
  ASSERT_TRUE(comes_true([&] { return call(kWhatIsFolded).parts[0] == kBoth; }));
  {
    const Write write(first); // until the code that does not depend on it is there
    ASSERT_TRUE(comes_true([&] { return call(kWhatIsFolded).parts[0] == kSecondIsFolded; }));
  }
  ASSERT_TRUE(comes_true([&] { return call(kWhatIsFolded).parts[0] == kBoth; }));
  ASSERT_TRUE(comes_true([&] { return log().find(R"("event":"held")") != std::string::npos; }));
  const std::uint64_t held = first.figures().held_callers;
  call_all_the_time(1, call);
  {
    const Write write(first);
  } // the code that does not depend on it is kept
  ASSERT_TRUE(comes_true([&] { return call(kWhatIsFolded).parts[0] == kBoth; }));
  end_calls();
  EXPECT_EQ(first.figures().held_callers, held);
}

TEST_F(Holding, EndsWithTheRuntimeTheQuasiInvariantAndTheProcess) {
  for (const bool exits : {false, true}) {
    const pid_t child = fork();
    if (child == 0) {
      auto runtime = std::make_unique<sartor::Runtime>();
      const auto second = quasi_invariant("second", &Rates::second);
      auto first = std::make_unique<QuasiInvariant>(quasi_invariant("first", &Rates::first, 1h));
      runtime->specialize({});
      if (!comes_true([&] { return directly(kWhatIsFolded).parts[0] == kBoth; }))
        _exit(1);
      call_all_the_time(2, directly);
      {
        const Write write(*first);
      }
      if (exits)
        exit(0); // callers may be held, and threads keep calling
      first.reset();
      runtime.reset();
      stop_ = true;
      for (std::thread &caller : callers_)
        caller.join();
      _exit(wrong_ == 0 ? 0 : 2);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << exits;
  }
}

TEST_F(Holding, GoesOnInAChild) {
  sartor::Runtime runtime;
  const auto first = quasi_invariant("first", &Rates::first, 1h);
  ASSERT_TRUE(first.wait_until_valid(kPatience)); // no variant depends on `second` alone yet
  const auto second = quasi_invariant("second", &Rates::second);
  runtime.specialize({});
  ASSERT_TRUE(comes_true([&] { return directly(kWhatIsFolded).parts[0] == kBoth; }));
  std::thread([&] { const Write write(first); }).join();
  const pid_t child = fork();
  if (child == 0) // another thread wrote; a call of this thread would be held
    _exit(is_right(directly(1), now(), 1) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Holding, RefusesBoundsThatMakeNoSense) {
  QuasiInvariantOptions options;
  for (const auto bound : {std::chrono::nanoseconds(-1), std::chrono::nanoseconds(2h)}) {
    options.hold_callers = bound;
    try {
      const QuasiInvariant made("bad", options);
      ADD_FAILURE();
    } catch (const sartor::Error &error) {
      EXPECT_EQ(error.code(), sartor::ErrorCode::bad_invariant);
    }
  }
}

} // namespace
