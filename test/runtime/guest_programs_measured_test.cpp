// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guest programs whose variants are measured. The test decides which way is faster by wasting time.
#include <chrono>
#include <csetjmp>
#include <optional>
#include <thread>

#include <gmock/gmock.h>

#include "comes_true.h"
#include "tape_program.h"

namespace {

using sartor::GuestState;
using testing::HasSubstr;
using testing::SizeIs;

void waste_time(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

class ProgramsMeasured : public testing::Test {
protected:
  ProgramsMeasured() {
    auto limits = reported_.limits();
    limits.waits = true;
    limits.measures = true;
    programs_.emplace(runtime_, limits);
  }

  /// Runs the program once; the slow way takes longer.
  void run(TapeProgram &program, bool is_variant_slow) {
    sartor::GuestRun run(program.program);
    auto *const function = run.function<RunTape>();
    const auto result = function ? function(3, nullptr, nullptr) : program.interpret(3);
    waste_time(std::chrono::microseconds((function != nullptr) == is_variant_slow ? 30 : 10));
    run.end();
    EXPECT_EQ(result, program.interpret(3));
  }
  bool is_decided(TapeProgram &program, bool is_variant_slow) {
    return comes_true([&] {
      for (int i = 0; i < 100; ++i)
        run(program, is_variant_slow);
      return program.program.state() != GuestState::measured;
    });
  }

  sartor::Runtime runtime_;
  Report reported_;
  std::optional<sartor::GuestPrograms> programs_;
};

TEST_F(ProgramsMeasured, KeepWhatIsFaster) {
  TapeProgram program(some_tape(1, 20));
  program.ask(*programs_);
  EXPECT_EQ(program.program.state(), GuestState::measured);
  EXPECT_THAT(reported_.all, SizeIs(0));
  ASSERT_TRUE(is_decided(program, false));
  EXPECT_EQ(program.program.state(), GuestState::ready);
  EXPECT_NE(program.program.function<RunTape>(), nullptr);
  ASSERT_THAT(reported_.all, SizeIs(1));
  EXPECT_EQ(reported_.all[0].state, GuestState::ready);
  double low = 0;
  ASSERT_EQ(sartor_json_number(reported_.all[0].text.c_str(), "/gain/low", &low), SARTOR_OK);
  EXPECT_GT(low, 1);
}

TEST_F(ProgramsMeasured, LeaveAloneWhatIsNot) {
  TapeProgram program(some_tape(2, 20));
  program.ask(*programs_);
  ASSERT_TRUE(is_decided(program, true));
  EXPECT_EQ(program.program.state(), GuestState::excluded);
  EXPECT_THAT(program.program.why_not(), HasSubstr("not worth it: 0."));
  EXPECT_EQ(program.program.function<RunTape>(), nullptr);
  ASSERT_THAT(reported_.all, SizeIs(1));
  EXPECT_EQ(reported_.all[0].state, GuestState::excluded);
}

TEST_F(ProgramsMeasured, AreInterpretedMeanwhileByWhoDoesNotMeasure) {
  TapeProgram program(some_tape(3, 20));
  program.ask(*programs_);
  EXPECT_EQ(program.program.function<RunTape>(), nullptr);
}

TEST_F(ProgramsMeasured, AreMeasuredByAllThreads) {
  TapeProgram program(some_tape(4, 20));
  program.ask(*programs_);
  std::thread other([&] { EXPECT_TRUE(is_decided(program, false)); });
  EXPECT_TRUE(is_decided(program, false));
  other.join();
  EXPECT_NE(program.program.state(), GuestState::measured);
  EXPECT_THAT(reported_.all, SizeIs(1));
}

TEST_F(ProgramsMeasured, AroundOthersSayNothing) {
  TapeProgram outer(some_tape(5, 20)), inner(some_tape(6, 20));
  outer.ask(*programs_);
  inner.ask(*programs_);
  for (int i = 0; i < 300 && inner.program.state() == GuestState::measured; ++i) {
    sartor::GuestRun around(outer.program);
    run(inner, false);
    waste_time(std::chrono::microseconds(around.function<RunTape>() ? 100 : 10));
    around.end();
  }
  EXPECT_EQ(outer.program.state(), GuestState::measured);
  ASSERT_TRUE(is_decided(inner, false));
  ASSERT_TRUE(is_decided(outer, false));
  EXPECT_EQ(outer.program.state(), GuestState::ready);
}

void begin_and_jump_out(TapeProgram &program) {
  std::jmp_buf out;
  if (setjmp(out) != 0) // NOLINT(cert-err52-cpp): as interpreters do
    return;
  const sartor::GuestRun run(program.program);
  std::longjmp(out, 1); // NOLINT(cert-err52-cpp)
}

TEST_F(ProgramsMeasured, MayBeLeftByLongjmp) {
  TapeProgram program(some_tape(7, 20));
  program.ask(*programs_);
  for (int i = 0; i < 100; ++i)
    begin_and_jump_out(program);
  EXPECT_EQ(program.program.state(), GuestState::measured);
  EXPECT_TRUE(is_decided(program, false));
}

TEST_F(ProgramsMeasured, MayBeReleasedWithinARun) {
  std::optional<TapeProgram> program(std::in_place, some_tape(8, 20));
  program->ask(*programs_);
  for (int i = 0; i < 5; ++i)
    run(*program, false);
  sartor::GuestRun run(program->program);
  program.reset();
  waste_time(std::chrono::microseconds(50));
  run.end(); // the measurement is discarded
  EXPECT_THAT(reported_.all, SizeIs(0));
}

} // namespace
