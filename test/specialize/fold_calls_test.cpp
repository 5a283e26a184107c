// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <bit>
#include <cerrno>
#include <cfenv>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>

#include "call_shapes.h"
#include "core/request/native_call.h"
#include "folding.h"

namespace {

using sartor::core::call_native;
using sartor::core::NativeCall;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class FoldCallsTest : public testing::Test {
protected:
  static Folding &folding() {
    static Folding one;
    return one;
  }

  /// Compiles a variant and returns the number of calls of marked functions that this took.
  unsigned make(const std::string &name, const Weighted &bound,
                const sartor::Configuration &configuration = {}) {
    const unsigned before = marked_calls;
    variant_ = folding().variant<WeightedHandler>(name, &bound, invariant_, configuration);
    return marked_calls - before;
  }

  void expect_same(WeightedHandler *native, const Weighted &bound,
                   const std::vector<std::int64_t> &inputs = {0, 1, 5, 8, 100}) {
    ASSERT_TRUE(variant_);
    for (const std::int64_t input : inputs)
      EXPECT_EQ(variant_(&bound, input), native(&bound, input)) << "on " << input;
  }

  std::vector<std::string> remarks(const std::string &name, const Weighted &bound,
                                   const sartor::Configuration &configuration = {}) {
    return folding()
        .specialized(folding().context(name, &bound, invariant_, configuration))
        .remarks;
  }

  InvariantFixture invariant_;
  WeightedHandler *variant_ = nullptr;
};

TEST_F(FoldCallsTest, GivesNoNullPointers) {
  const Weighted alone{0, 7, nullptr};
  invariant_.add(alone);
  EXPECT_EQ(make("call_behind_null", alone), 0U);
  expect_same(call_behind_null, alone);
}

TEST_F(FoldCallsTest, LeavesOutWhatABranchOnInvariantMemoryLeavesOut) {
  const Weighted whole{0, 7, nullptr};
  invariant_.add(whole);
  EXPECT_EQ(make("call_behind_kind", whole), 0U);
  expect_same(call_behind_kind, whole);
}

TEST_F(FoldCallsTest, DoesNotCallBehindAConditionOnInput) {
  const Weighted whole{0, 7, nullptr};
  invariant_.add(whole);
  EXPECT_EQ(make("call_behind_input", whole), 0U);
  expect_same(call_behind_input, whole);
  EXPECT_THAT(remarks("call_behind_input", whole),
              Contains(AllOf(HasSubstr("fold_call_uncertain"), HasSubstr("weight_by"))));
  EXPECT_EQ(make("call_behind_loop", whole), 0U);
  expect_same(call_behind_loop, whole);
  EXPECT_EQ(make("call_behind_abort", whole), 0U);
  expect_same(call_behind_abort, whole);
  EXPECT_EQ(make("call_in_helper", whole), 0U);
  expect_same(call_in_helper, whole, {1, 7777});
}

TEST_F(FoldCallsTest, KeepsCallsThatWriteTheirResultToMemory) {
  const Weighted whole{2, 7, nullptr};
  invariant_.add(whole);
  make("call_for_memory", whole);
  expect_same(call_for_memory, whole);
}

TEST_F(FoldCallsTest, CallsWhereAllBranchesMeetAgain) {
  const Weighted whole{2, 7, nullptr};
  invariant_.add(whole);
  EXPECT_EQ(make("call_after_branches", whole), 1U);
  expect_same(call_after_branches, whole);
  EXPECT_THAT(remarks("call_after_branches", whole), Not(Contains(HasSubstr("fold_call"))));
}

TEST_F(FoldCallsTest, CallsInEachTurnOfALoopThatIsFollowed) {
  std::array<Weighted, 3> list{{{1, 5, nullptr}, {2, 6, nullptr}, {3, 7, nullptr}}};
  list[0].next = &list[1];
  list[1].next = &list[2];
  invariant_.add(list);
  EXPECT_EQ(make("call_in_list", list[0]), 3U);
  const unsigned before = marked_calls;
  EXPECT_EQ(variant_(list.data(), 6), 5 * 3 + 1);
  EXPECT_EQ(marked_calls, before);
  expect_same(call_in_list, list[0]);
}

TEST_F(FoldCallsTest, FollowsALoopThatACallSteers) {
  std::array<Weighted, 3> list{{{1, 5, nullptr}, {2, 6, nullptr}, {0, 7, nullptr}}};
  list[0].next = &list[1];
  list[1].next = &list[2];
  invariant_.add(list);
  EXPECT_EQ(make("call_steering", list[0]), 2U);
  expect_same(call_steering, list[0]);
  EXPECT_EQ(folding().shape(folding().context("call_steering", list.data(), invariant_)).loops, 0U);
}

TEST_F(FoldCallsTest, ResultsDecideWhatElseIsCalled) {
  std::array<Weighted, 2> list{{{0, 5, nullptr}, {3, 6, nullptr}}};
  list[0].next = &list[1];
  invariant_.add(list);
  EXPECT_EQ(make("call_result_decides", list[0]), 2U);
  expect_same(call_result_decides, list[0]);
}

TEST_F(FoldCallsTest, CallsBehindGuardsThatPassOnly) {
  const Weighted whole{2, 700, nullptr};
  invariant_.add(whole);
  EXPECT_EQ(make("call_behind_guard", whole, {{"call_divisor", 7}}), 1U);
  expect_same(call_behind_guard, whole, {7, 5});
  EXPECT_EQ(make("call_behind_failed_guard", whole, {{"call_way", 1}}), 0U);
  expect_same(call_behind_failed_guard, whole);
}

TEST_F(FoldCallsTest, FaultsGiveNoResult) {
  const Weighted by_zero{0, 7, nullptr};
  invariant_.add(by_zero);
  make("call_behind_guard", by_zero, {{"call_divisor", 0}});
  expect_same(call_behind_guard, by_zero, {7, 5});
  EXPECT_THAT(remarks("call_behind_guard", by_zero, {{"call_divisor", 0}}),
              Contains(AllOf(HasSubstr("fold_call_failed"), HasSubstr("weight_by"))));
  const Weighted wild{0, 8, nullptr};
  invariant_.add(wild);
  for (const char *name : {"call_that_loads", "call_that_aborts"}) {
    make(name, wild);
    EXPECT_TRUE(variant_);
    EXPECT_THAT(remarks(name, wild), Contains(HasSubstr("fold_call_failed"))) << name;
  }
  make("call_that_throws", wild);
  expect_same(call_that_throws, wild);
}

TEST_F(FoldCallsTest, AStackThatOverflowsGivesNoResult) {
  const Weighted deep{1'000'000'000, 8, nullptr};
  invariant_.add(deep);
  make("call_that_recurses", deep);
  EXPECT_TRUE(variant_);
  const Weighted flat{100, 8, nullptr};
  invariant_.add(flat);
  make("call_that_recurses", flat);
  expect_same(call_that_recurses, flat);
  EXPECT_THAT(remarks("call_that_recurses", flat), Not(Contains(HasSubstr("fold_call"))));
}

// Contained calls.

volatile std::sig_atomic_t programs_faults = 0;
void programs_handler(int) { programs_faults = programs_faults + 1; }

std::uint64_t add(std::uint64_t a, std::uint64_t b) { return a + b; }
std::uint64_t fault_at(std::uint64_t address) {
  return *reinterpret_cast<volatile std::uint64_t *>(address); // NOLINT(performance-no-int-to-ptr)
}
std::uint64_t raise_signal(std::uint64_t signal) {
  return static_cast<std::uint64_t>(raise(static_cast<int>(signal)));
}
thread_local std::uint64_t of_thread = 0;
std::uint64_t set_of_thread(std::uint64_t value) { return std::exchange(of_thread, value); }
std::uint64_t third_of(std::uint64_t value) {
  volatile double one = static_cast<double>(value);
  return std::bit_cast<std::uint64_t>(one / 3.0);
}
std::uint64_t same_thread(std::uint64_t of) { return of == pthread_self() ? 1 : 0; }
std::uint64_t throw_it(std::uint64_t value) { throw value; }
std::uint64_t nested(std::uint64_t address);

template <class Function> NativeCall call(Function *function, std::vector<std::uint64_t> bits) {
  NativeCall made{reinterpret_cast<std::uintptr_t>(function), NativeCall::Type::u64, {}, {}};
  made.types.assign(bits.size(), NativeCall::Type::u64);
  made.arguments = std::move(bits);
  return made;
}

std::uint64_t nested(std::uint64_t address) {
  return call_native(call(fault_at, {address})) ? 1 : call_native(call(add, {3, 4})).value_or(0);
}

class ContainedCall : public testing::Test {
protected:
  void SetUp() override {
    for (const int signal : {SIGSEGV, SIGFPE, SIGCHLD, SIGABRT})
      std::signal(signal, programs_handler);
    programs_faults = 0;
  }
  void TearDown() override {
    for (const int signal : {SIGSEGV, SIGFPE, SIGCHLD, SIGABRT}) {
      struct sigaction now = {};
      sigaction(signal, nullptr, &now);
      EXPECT_EQ(now.sa_handler, programs_handler);
      std::signal(signal, SIG_DFL);
    }
    EXPECT_EQ(programs_faults, 0);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG | __WALL), -1);
    EXPECT_EQ(errno, ECHILD);
  }
};

TEST_F(ContainedCall, GivesResults) {
  EXPECT_EQ(call_native(call(add, {2, 3})), 5U);
  EXPECT_EQ(call_native(call(same_thread, {static_cast<std::uint64_t>(pthread_self())})), 1U);
  of_thread = 4;
  EXPECT_EQ(call_native(call(set_of_thread, {9})), 4U);
  EXPECT_EQ(of_thread, 9U);
}

TEST_F(ContainedCall, NamesWhatHasEndedIt) {
  EXPECT_EQ(call_native(call(fault_at, {8})).error(), "SIGSEGV");
  for (const auto &[signal, name] :
       {std::pair{SIGFPE, "SIGFPE"}, {SIGBUS, "SIGBUS"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}})
    EXPECT_EQ(call_native(call(raise_signal, {static_cast<std::uint64_t>(signal)})).error(), name);
  EXPECT_EQ(call_native(call(throw_it, {1})).error(), "an exception");
  EXPECT_FALSE(call_native(call(raise_signal, {SIGKILL})));
}

TEST_F(ContainedCall, LeavesTheThreadAsItWas) {
  std::array<char, 65536> memory{};
  stack_t own = {};
  own.ss_sp = memory.data();
  own.ss_size = memory.size();
  stack_t before = {};
  sigaltstack(&own, &before);
  sigset_t blocked;
  sigset_t mask_before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR2);
  sigaddset(&blocked, SIGSEGV);
  pthread_sigmask(SIG_SETMASK, &blocked, &mask_before);
  std::fesetround(FE_UPWARD);
  errno = EXDEV;
  EXPECT_FALSE(call_native(call(fault_at, {8})));
  EXPECT_EQ(call_native(call(third_of, {1})), std::bit_cast<std::uint64_t>(1.0 / 3.0));
  EXPECT_EQ(errno, EXDEV);
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, &mask_before, &mask);
  EXPECT_EQ(sigismember(&mask, SIGUSR2), 1);
  EXPECT_EQ(sigismember(&mask, SIGSEGV), 1);
  EXPECT_EQ(sigismember(&mask, SIGUSR1), 0);
  stack_t now = {};
  sigaltstack(&before, &now);
  EXPECT_EQ(now.ss_sp, memory.data());
}

TEST_F(ContainedCall, Nests) { EXPECT_EQ(call_native(call(nested, {8})), 7U); }

TEST_F(ContainedCall, OnManyThreads) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i)
    threads.emplace_back([i] {
      for (unsigned round = 0; round < 50; ++round) {
        if ((round + i) % 3 == 0)
          EXPECT_FALSE(call_native(call(fault_at, {8})));
        else
          EXPECT_EQ(call_native(call(add, {i, round})), i + round);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
