// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hot guest programs: requested, ready, or excluded.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include <unistd.h>

#include "comes_true.h"
#include "failing.h"
#include "tape_program.h"

namespace {

using sartor::ErrorCode;
using sartor::GuestState;
using testing::HasSubstr;
using testing::SizeIs;

/// Runs the program until it is in the state; its results equal the interpreter's throughout.
bool comes_to_be(TapeProgram &program, GuestState state) {
  std::uint64_t input = 0;
  return comes_true([&] {
    ++input;
    EXPECT_EQ(program.run(input), program.interpret(input));
    return program.program.state() == state;
  });
}

TEST(GuestPrograms, AreCountedUntilTheyAreHot) {
  sartor::GuestProgram program;
  EXPECT_EQ(program.state(), GuestState::counted);
  EXPECT_FALSE(program.count(1, 10));
  EXPECT_FALSE(program.count(8, 10));
  EXPECT_TRUE(program.count(1, 10));
  EXPECT_EQ(program.function<RunTape>(), nullptr);
  EXPECT_EQ(program.why_not(), "");
}

TEST(GuestPrograms, HaveVariantsInTheEndWithoutWaiting) {
  sartor::Runtime runtime;
  Report reported;
  sartor::GuestPrograms programs(runtime, reported.limits());
  TapeProgram program(some_tape(1, 20));
  program.ask(programs);
  program.ask(programs); // has no effect
  ASSERT_TRUE(comes_to_be(program, GuestState::ready));
  auto *const function = program.program.function<RunTape>();
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function(7, nullptr, nullptr), program.interpret(7));
  EXPECT_FALSE(program.program.count(1000, 1)); // runs are no longer counted
  ASSERT_THAT(reported.all, SizeIs(1));
  EXPECT_EQ(reported.all[0].owner, &program);
  EXPECT_EQ(reported.all[0].state, GuestState::ready);
  EXPECT_THAT(reported.all[0].text, HasSubstr("\"handler\":\"run_tape\""));
}

TEST(GuestPrograms, HaveTheNamesOfTheirFunctions) {
  sartor::Runtime runtime;
  Report reported;
  sartor::GuestLimits limits = reported.limits();
  limits.waits = true;
  TapeProgram named(some_tape(5, 20));
  limits.function_name = [&](void *owner) { return std::string(owner == &named ? "fib" : ""); };
  sartor::GuestPrograms programs(runtime, limits);
  named.ask(programs);
  TapeProgram unnamed(some_tape(6, 30));
  unnamed.ask(programs);
  ASSERT_THAT(reported.all, SizeIs(2));
  EXPECT_THAT(reported.all[0].text, HasSubstr("\"name\":\"run_tape(fib){}\""));
  EXPECT_THAT(reported.all[1].text, testing::ContainsRegex("run_tape\\([0-9]+\\)"));
}

TEST(GuestPrograms, AreExcludedIfAFunctionOfTheProgramThrows) {
  sartor::Runtime runtime;
  Report reported;
  sartor::GuestLimits limits = reported.limits();
  limits.function_name = [](void *) -> std::string { throw std::runtime_error("no such name"); };
  sartor::GuestPrograms programs(runtime, limits);
  TapeProgram program(some_tape(5, 20));
  EXPECT_THROW(program.ask(programs), std::runtime_error);
  EXPECT_EQ(program.program.state(), GuestState::excluded);
  EXPECT_EQ(program.program.why_not(), "no such name");
  ASSERT_THAT(reported.all, SizeIs(1));
  EXPECT_EQ(reported.all[0].state, GuestState::excluded);
}

TEST(GuestPrograms, MayBeWaitedFor) {
  sartor::Runtime runtime;
  sartor::GuestPrograms programs(runtime, {.waits = true});
  TapeProgram program(some_tape(2, 20));
  program.ask(programs);
  EXPECT_EQ(program.program.state(), GuestState::ready);
  EXPECT_EQ(program.run(3), program.interpret(3));
}

TEST(GuestPrograms, ThatCannotBeAskedForAreLeftAlone) {
  sartor::Runtime runtime;
  Report reported;
  sartor::GuestPrograms programs(runtime, reported.limits());
  TapeProgram program(some_tape(3, 20));
  EXPECT_EQ(failing([&] { program.ask(programs, "run_tapes"); }), ErrorCode::unknown_handler);
  EXPECT_EQ(program.program.state(), GuestState::excluded);
  EXPECT_THAT(program.program.why_not(), HasSubstr("run_tapes"));
  EXPECT_EQ(program.program.function<RunTape>(), nullptr);
  ASSERT_THAT(reported.all, SizeIs(1));
  EXPECT_EQ(reported.all[0].state, GuestState::excluded);
  EXPECT_EQ(reported.all[0].text, program.program.why_not());
  program.ask(programs);
  EXPECT_EQ(program.program.state(), GuestState::excluded);
}

TEST(GuestPrograms, AreLeftAloneWhereTheirOwnerKnowsBetter) {
  sartor::Runtime runtime;
  Report reported;
  sartor::GuestPrograms programs(runtime, reported.limits());
  TapeProgram program(some_tape(3, 20));
  programs.exclude(program.program, "divides", &program);
  programs.exclude(program.program, "multiplies", &program);
  program.ask(programs);
  EXPECT_EQ(program.program.state(), GuestState::excluded);
  EXPECT_EQ(program.program.why_not(), "divides");
  ASSERT_THAT(reported.all, SizeIs(1));
  EXPECT_EQ(reported.all[0].owner, &program);
}

TEST(GuestPrograms, WhoseCodeTakesTooLongAreLeftAlone) {
  sartor::Options options;
  options.compile_timeout = std::chrono::milliseconds(1);
  options.quick_tier = false;
  sartor::Runtime runtime(options);
  sartor::GuestPrograms programs(runtime);
  TapeProgram program(some_tape(4, 2000));
  (void)failing([&] { program.ask(programs); }); // fails immediately or later
  ASSERT_TRUE(comes_to_be(program, GuestState::excluded));
  EXPECT_THAT(program.program.why_not(), HasSubstr("in time"));
}

/// Too long to be followed as a whole.
constexpr std::size_t kLong = 30'000;

TEST(GuestPrograms, ThatStayLoopsAreLeftAlone) {
  sartor::Runtime runtime;
  sartor::GuestPrograms programs(runtime, {.waits = true});
  TapeProgram program(some_tape(5, kLong));
  program.ask(programs);
  EXPECT_EQ(program.program.state(), GuestState::excluded);
  EXPECT_THAT(program.program.why_not(), HasSubstr("followed"));
}

TEST(GuestPrograms, ThatStayLoopsAreTakenWhereThatIsWanted) {
  sartor::Runtime runtime;
  sartor::GuestPrograms programs(runtime, {.waits = true, .in_part = true});
  TapeProgram program(some_tape(5, kLong));
  program.ask(programs);
  EXPECT_EQ(program.program.state(), GuestState::ready);
  EXPECT_EQ(program.run(3), program.interpret(3));
}

TEST(GuestPrograms, OfWhichNothingIsKnownAreLeftAlone) {
  sartor::Runtime runtime;
  sartor::GuestPrograms programs(runtime, {.waits = true, .in_part = true});
  sartor::GuestProgram program;
  programs.specialize(program, "run_tape", {}, sartor::Invariant());
  EXPECT_EQ(program.state(), GuestState::excluded);
  EXPECT_THAT(program.why_not(), HasSubstr("native"));
}

TEST(GuestPrograms, AreCountedAnewWhereThereIsNoRoom) {
  sartor::Runtime runtime;
  Report reported;
  auto limits = reported.limits();
  limits.most = 1;
  limits.waits = true;
  sartor::GuestPrograms programs(runtime, limits);
  auto first = std::make_unique<TapeProgram>(some_tape(6, 20));
  TapeProgram second(some_tape(7, 20));
  first->ask(programs);
  ASSERT_TRUE(second.program.count(10, 10));
  second.ask(programs);
  second.ask(programs);
  EXPECT_EQ(second.program.state(), GuestState::counted);
  EXPECT_FALSE(second.program.count(1, 10));
  ASSERT_THAT(reported.all, SizeIs(2)); // the lack of space is reported once
  EXPECT_EQ(reported.all[1].owner, &second);
  EXPECT_EQ(reported.all[1].state, GuestState::counted);
  EXPECT_THAT(reported.all[1].text, HasSubstr("no room"));
  first->program.release();
  EXPECT_TRUE(comes_true([&] {
    second.ask(programs);
    return second.program.state() == GuestState::ready;
  }));
  EXPECT_EQ(second.run(3), second.interpret(3));
}

// Its variant would know nothing of it.
TEST(GuestPrograms, AreCountedAnewWhereTheirHandlerHasNoRoom) {
  sartor::Runtime runtime;
  runtime.limit_bindings("run_tape", 1);
  Report reported;
  auto limits = reported.limits();
  limits.waits = true;
  limits.in_part = true;
  sartor::GuestPrograms programs(runtime, limits);
  auto first = std::make_unique<TapeProgram>(some_tape(6, 20));
  TapeProgram second(some_tape(7, 20));
  first->ask(programs);
  ASSERT_EQ(first->program.state(), GuestState::ready);
  ASSERT_TRUE(second.program.count(10, 10));
  second.ask(programs);
  second.ask(programs);
  EXPECT_EQ(second.program.state(), GuestState::counted);
  EXPECT_FALSE(second.program.count(1, 10));
  EXPECT_EQ(second.run(3), second.interpret(3));
  ASSERT_THAT(reported.all, SizeIs(2));
  EXPECT_EQ(reported.all[1].owner, &second);
  EXPECT_EQ(reported.all[1].state, GuestState::counted);
  EXPECT_THAT(reported.all[1].text, HasSubstr("no room"));
  first->program.release();
  EXPECT_TRUE(comes_true([&] {
    second.ask(programs);
    return second.program.state() == GuestState::ready;
  }));
  EXPECT_EQ(second.run(3), second.interpret(3));
}

TEST(GuestPrograms, ThatAreLeftAloneTakeNoRoom) {
  sartor::Runtime runtime;
  sartor::GuestPrograms programs(runtime, {.most = 1, .waits = true});
  TapeProgram first(some_tape(5, kLong));
  TapeProgram second(some_tape(7, 20));
  first.ask(programs);
  EXPECT_EQ(first.program.state(), GuestState::excluded);
  EXPECT_TRUE(comes_true([&] {
    second.ask(programs);
    return second.program.state() == GuestState::ready;
  }));
}

TEST(GuestPrograms, AreLeftAloneWhereSartorIsOff) {
  setenv("SARTOR", "off", 1);
  sartor::Runtime runtime;
  unsetenv("SARTOR");
  Report reported;
  sartor::GuestPrograms programs(runtime, reported.limits());
  TapeProgram program(some_tape(8, 20));
  program.ask(programs);
  EXPECT_EQ(program.program.state(), GuestState::excluded);
  EXPECT_THAT(program.program.why_not(), HasSubstr("switched off"));
  EXPECT_EQ(program.run(3), program.interpret(3));
  ASSERT_THAT(reported.all, SizeIs(1));
  bool is_freed = false;
  program.program.release([&] { is_freed = true; });
  EXPECT_TRUE(is_freed); // immediately: no code ever depended on it
}

TEST(GuestPrograms, MayBeAskedForInVainWithinAHandler) {
  sartor::Options options;
  options.event_log = testing::TempDir() + "programs_events." + std::to_string(getpid());
  sartor::Runtime runtime(options);
  sartor::GuestPrograms programs(runtime, {.most = 1, .waits = true});
  TapeProgram first(some_tape(6, 20)), second(some_tape(7, 20));
  first.ask(programs);
  struct Asking {
    sartor::GuestPrograms *programs;
    TapeProgram *program;
  } asking{&programs, &second};
  const Step calls[] = {{Step::call, 0}, {Step::stop, 0}};
  const auto handler = runtime.handler<&run_tape>();
  (void)handler(
      calls, 0,
      [](void *object) {
        const auto &all = *static_cast<Asking *>(object);
        all.program->ask(*all.programs); // there is no room
        EXPECT_EQ(all.program->program.state(), GuestState::counted);
      },
      &asking);
  programs.exclude(second.program, "divides");
  std::ifstream file(options.event_log);
  const std::string events{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(events, HasSubstr("compile"));
  EXPECT_THAT(events, testing::Not(HasSubstr("invariant_not_waited_for")));
  EXPECT_THAT(events, HasSubstr("\"event\":\"program\",\"handler\":\"\",\"excluded\":\"divides\""));
  std::filesystem::remove(options.event_log);
}

// A thread that looks while another one decides finds nothing that is dropped meanwhile.
TEST(GuestPrograms, AreLeftAloneWhileManyThreadsLook) {
  constexpr int kTimes = 100;
  sartor::Runtime runtime;
  sartor::GuestPrograms programs(runtime);
  for (int i = 0; i < kTimes; ++i) {
    sartor::GuestProgram program;
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; ++k)
      threads.emplace_back([&] {
        while (program.state() != GuestState::excluded)
          EXPECT_EQ(program.function<RunTape>(), nullptr);
      });
    programs.specialize(program, "run_tape", {}, sartor::Invariant()); // nothing is known of it
    for (std::thread &thread : threads)
      thread.join();
  }
}

TEST(GuestPrograms, AreAskedForByManyThreads) {
  sartor::Runtime runtime;
  Report reported;
  sartor::GuestPrograms programs(runtime, reported.limits());
  TapeProgram program(some_tape(9, 20));
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      const bool is_ready = comes_true([&] {
        if (program.program.count(1, 50))
          program.ask(programs);
        wrong += program.run(3) != program.interpret(3) ? 1 : 0;
        return program.program.state() == GuestState::ready;
      });
      wrong += is_ready ? 0 : 1;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_THAT(reported.all, SizeIs(1));
}

} // namespace
