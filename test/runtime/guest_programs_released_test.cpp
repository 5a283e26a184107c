// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guest programs that are released while their code is compiled, runs on this or another thread, or
// is measured.
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include "comes_true.h"
#include "tape_program.h"

namespace {

using sartor::GuestState;

TEST(ProgramsReleased, NotAskedForAreFreeAtOnce) {
  sartor::GuestProgram program;
  EXPECT_FALSE(program.count(3, 10));
  bool is_freed = false;
  program.release([&] { is_freed = true; });
  EXPECT_TRUE(is_freed);
  EXPECT_FALSE(program.count(9, 10)); // there is no program to count for
}

TEST(ProgramsReleased, WhileCompiledLeaveTheMemoryToOthers) {
  sartor::Runtime runtime;
  sartor::GuestPrograms programs(runtime);
  Tape tape = some_tape(1, 200);
  std::atomic<int> freed = 0;
  constexpr std::uint32_t kTimes = 50;
  for (std::uint32_t seed = 0; seed < kTimes; ++seed) {
    const Tape next = some_tape(seed, 200);
    std::ranges::copy(next, tape.begin()); // another program at the same address
    TapeProgram program(std::move(tape));
    program.ask(programs);
    EXPECT_EQ(program.run(seed), program.interpret(seed));
    if (seed % 8 == 7)
      EXPECT_TRUE(comes_true([&] {
        EXPECT_EQ(program.run(seed), program.interpret(seed));
        return program.program.state() == GuestState::ready;
      }));
    program.program.release([&] { ++freed; });
    EXPECT_EQ(program.program.state(), GuestState::counted);
    tape = std::move(program.tape);
  }
  EXPECT_TRUE(comes_true([&] { return freed == kTimes; }));
}

/// A tape that calls back in the middle.
Tape calling_tape(std::uint32_t seed) {
  Tape tape = some_tape(seed, 20);
  tape[10] = {Step::call, 0};
  return tape;
}

struct Gone {
  TapeProgram *program;
  std::atomic<bool> is_freed = false;
  bool was_freed_too_soon = false;
};

TEST(ProgramsReleased, FromInsideLastAsLongAsTheRun) {
  sartor::Runtime runtime;
  sartor::GuestPrograms programs(runtime, {.waits = true});
  Tape tape = calling_tape(2);
  TapeProgram program(tape);
  Gone gone{&program};
  program.object = &gone;
  program.called = [](void *object) {
    auto &gone = *static_cast<Gone *>(object);
    gone.program->program.release([&gone] { gone.is_freed = true; });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    gone.was_freed_too_soon = gone.is_freed;
  };
  program.ask(programs);
  auto *const function = program.program.function<RunTape>();
  ASSERT_NE(function, nullptr);
  tape[10] = {Step::add, 0}; // the interpreter sees this change
  EXPECT_EQ(function(3, program.called, &gone), run_tape(tape.data(), 3, nullptr, nullptr));
  EXPECT_FALSE(gone.was_freed_too_soon);
  EXPECT_TRUE(comes_true([&] { return gone.is_freed.load(); }));
  EXPECT_EQ(program.program.state(), GuestState::counted);
}

TEST(ProgramsReleased, LastAsLongAsAnotherThreadRunsThem) {
  sartor::Runtime runtime;
  sartor::GuestPrograms programs(runtime, {.waits = true});
  TapeProgram program(calling_tape(3));
  struct Gate {
    std::atomic<bool> is_inside = false, may_leave = false;
  } gate;
  program.object = &gate;
  program.called = [](void *object) {
    auto &gate = *static_cast<Gate *>(object);
    gate.is_inside = true;
    while (!gate.may_leave)
      std::this_thread::yield();
  };
  program.ask(programs);
  std::uint64_t result = 0;
  std::thread other([&] { result = program.run(3); });
  ASSERT_TRUE(comes_true([&] { return gate.is_inside.load(); }));
  std::atomic<bool> is_freed = false;
  program.program.release([&] { is_freed = true; });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(is_freed);
  gate.may_leave = true;
  other.join();
  EXPECT_EQ(result, program.interpret(3));
  EXPECT_TRUE(comes_true([&] { return is_freed.load(); }));
}

TEST(ProgramsReleased, LeaveTheirNamesToNoOther) {
  sartor::Runtime runtime;
  Report reported;
  auto limits = reported.limits();
  std::string name = "old";
  limits.waits = true;
  limits.function_name = [&](void *) { return name; };
  sartor::GuestPrograms programs(runtime, limits);
  TapeProgram program(calling_tape(4));
  struct Gate {
    std::atomic<bool> is_inside = false, may_leave = false;
  } gate;
  program.object = &gate;
  program.called = [](void *object) {
    auto &gate = *static_cast<Gate *>(object);
    gate.is_inside = true;
    while (!gate.may_leave)
      std::this_thread::yield();
  };
  program.ask(programs);
  ASSERT_EQ(program.program.state(), GuestState::ready);
  std::thread other([&] { (void)program.run(3); });
  const bool is_inside = comes_true([&] { return gate.is_inside.load(); });
  EXPECT_TRUE(is_inside);
  program.program.release();
  name = "new";
  TapeProgram next(std::move(program.tape)); // at the same address
  next.tape[3] = {Step::add, 5};
  next.ask(programs);
  gate.may_leave = true;
  other.join();
  ASSERT_THAT(reported.all, testing::SizeIs(2));
  EXPECT_THAT(reported.all[0].text, testing::HasSubstr("run_tape(old)"));
  EXPECT_THAT(reported.all[1].text, testing::HasSubstr("run_tape(new)"));
}

TEST(ProgramsReleased, WithTheirSet) {
  sartor::Runtime runtime;
  std::optional<sartor::GuestPrograms> programs(std::in_place, runtime);
  TapeProgram ready(some_tape(4, 20)), asked(some_tape(5, 20)), counted(some_tape(6, 20));
  ready.ask(*programs);
  ASSERT_TRUE(comes_true([&] { return ready.program.function<RunTape>() != nullptr; }));
  asked.ask(*programs);
  programs.reset();
  EXPECT_EQ(ready.program.state(), GuestState::counted);
  EXPECT_EQ(asked.program.state(), GuestState::counted);
  ready.program.release();
}

TEST(ProgramsReleased, AndHeldInAChild) {
  sartor::Runtime runtime;
  sartor::GuestPrograms programs(runtime);
  TapeProgram ready(some_tape(7, 20)), asked(some_tape(8, 300)), late(some_tape(9, 20));
  ready.ask(programs);
  ASSERT_TRUE(comes_true([&] { return ready.program.function<RunTape>() != nullptr; }));
  asked.ask(programs); // its compilation is in progress
  const pid_t child = fork();
  if (child == 0) {
    const auto comes_to_something = [](TapeProgram &program) {
      return comes_true([&] {
        return program.run(3) == program.interpret(3) &&
               program.program.state() >= GuestState::ready;
      });
    };
    bool is_well = ready.program.state() == GuestState::ready;
    is_well = is_well && ready.run(3) == ready.interpret(3) && comes_to_something(asked);
    late.ask(programs); // it continues in the child, unless LLVM was running
    is_well = is_well && comes_to_something(late);
    std::atomic<bool> is_freed = false;
    ready.program.release([&] { is_freed = true; });
    is_well = is_well && comes_true([&] { return is_freed.load(); });
    _exit(is_well ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(comes_true([&] { return asked.program.function<RunTape>() != nullptr; }));
}

// Workers drop their references to guest programs while fork() copies the process.
TEST(ProgramsReleased, ComeAndGoWhileTheProcessForks) {
  constexpr int kChildren = 40;
  sartor::Runtime runtime;
  sartor::GuestPrograms programs(runtime);
  std::atomic<bool> stop = false;
  std::thread coming_and_going([&] {
    for (int i = 0; !stop; ++i) {
      TapeProgram program(some_tape(100 + i, 12));
      program.ask(programs);
      EXPECT_EQ(program.run(3), program.interpret(3));
      std::this_thread::sleep_for(std::chrono::milliseconds(i % 5));
      std::atomic<bool> is_freed = false;
      program.program.release([&] { is_freed = true; });
      EXPECT_TRUE(comes_true([&] { return is_freed.load(); }));
    }
  });
  for (int i = 0; i < kChildren; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 7));
    const pid_t child = fork();
    if (child == 0) {
      TapeProgram own(some_tape(7, 12));
      own.ask(programs);
      bool is_well = comes_true([&] {
        return own.run(3) == own.interpret(3) && own.program.state() >= GuestState::ready;
      });
      std::atomic<bool> is_freed = false;
      own.program.release([&] { is_freed = true; });
      is_well = is_well && comes_true([&] { return is_freed.load(); });
      _exit(is_well ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "child " << i;
  }
  stop = true;
  coming_and_going.join();
}

} // namespace
