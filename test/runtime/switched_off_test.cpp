// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>

#include <sartor/sartor.hpp>

#include "failing.h"
#include "handlers/arithmetic.h"

namespace {

struct Shape {
  virtual ~Shape() = default;
  virtual int area(int side) { return side * side; }
};

class SwitchedOff : public testing::Test {
protected:
  SwitchedOff() {
    setenv("SARTOR", "off", 1);
    runtime_.emplace();
    unsetenv("SARTOR");
  }

  std::optional<sartor::Runtime> runtime_;
};

TEST_F(SwitchedOff, RuntimeIsNotActive) {
  EXPECT_FALSE(runtime_->active());
  EXPECT_TRUE(sartor::Runtime().active());
}

TEST_F(SwitchedOff, HandlersAreTheNativeCode) {
  auto handler = runtime_->handler<&scale>();
  EXPECT_EQ(handler(7, 2, 1), 14U);
  EXPECT_EQ(handler.function(), &scale);
}

TEST_F(SwitchedOff, HandlersAreFoundByName) {
  using Scale = std::uint64_t(std::uint64_t, std::uint64_t, unsigned);
  EXPECT_EQ(runtime_->handler<Scale>("scale").function(), &scale);
  EXPECT_EQ(runtime_->handler<Scale>("_Z5scalemmj").function(), &scale);
}

TEST_F(SwitchedOff, UnknownHandlerIsAnError) {
  expect_error([&] { (void)runtime_->handler<int()>("no_such_function_anywhere"); },
               sartor::ErrorCode::unknown_handler, "no_such_function_anywhere", "Sartor is off",
               "unset SARTOR");
}

TEST_F(SwitchedOff, AVirtualFunctionIsAnError) {
  expect_error([&] { (void)runtime_->handler<&Shape::area>(); }, sartor::ErrorCode::unknown_handler,
               "a virtual function", "each class may override it", "give its name");
}

TEST_F(SwitchedOff, SpecializeDoesNothing) {
  auto handler = runtime_->handler<&scale>();
  EXPECT_TRUE(runtime_->specialize({{"factor", sartor::unguarded(3)}}).empty());
  EXPECT_TRUE(runtime_->specialize_async({{"factor", 3}}).get().empty());
  EXPECT_TRUE(runtime_->prepare({{"nonsense", 3}}).get().empty());
  EXPECT_EQ(handler(7, 2, 1), 14U);
  EXPECT_EQ(runtime_->statistics().compiles, 0U);
  EXPECT_TRUE(runtime_->space().points().empty());
  EXPECT_TRUE(runtime_->handlers().empty());
}

TEST_F(SwitchedOff, PipelinesAndEventsAreTaken) {
  EXPECT_NO_THROW(runtime_->customize_pipeline({"default<O1>", {}}));
  EXPECT_NO_THROW(runtime_->log_event("phase", "{}"));
}

TEST_F(SwitchedOff, ProgramNeedsNoHandlerModule) {
  setenv("SARTOR", "off", 1);
  EXPECT_NO_THROW(sartor::Runtime(std::span<const sartor_module>(), sartor::Options()));
  unsetenv("SARTOR");
}

TEST(SwitchedOffBy, ZeroNoAndFalseToo) {
  for (const char *off : {"off", "0", "no", "false"}) {
    setenv("SARTOR", off, 1);
    EXPECT_FALSE(sartor::Runtime().active()) << off;
  }
  for (const char *on : {"", "on", "1", "yes", "true"}) {
    setenv("SARTOR", on, 1);
    EXPECT_TRUE(sartor::Runtime().active()) << on;
  }
  unsetenv("SARTOR");
}

TEST(SwitchedOffBy, WordsThatAreNeitherAreComplainedOf) {
  setenv("SARTOR", "perhaps", 1);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(sartor::Runtime().active());
  unsetenv("SARTOR");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "sartor: SARTOR=perhaps is neither on nor off: it stays on\n");
}

} // namespace
