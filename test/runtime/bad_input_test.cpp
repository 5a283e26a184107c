// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <span>

#include <sartor/sartor.hpp>

#include "failing.h"
#include "handlers/arithmetic.h"
#include "handlers/language.h"

namespace {

using sartor::Configuration;
using sartor::ErrorCode;

struct Shape {
  virtual ~Shape() = default;
  virtual int area(int side) { return side * side; }
};

/// The active variant assumes "factor" to be 3 without a guard; it must still be active after each
/// failure.
class BadInput : public testing::Test {
protected:
  BadInput() { runtime_.specialize(active_); }
  ~BadInput() override {
    EXPECT_EQ(call_(7, 2, 1), 21U);
    EXPECT_EQ(runtime_.configuration(), active_);
  }

  void expect_refusal(const Configuration &configuration, ErrorCode code,
                      const std::string &subject, const std::string &message,
                      const std::string &remedy) {
    expect_error([&] { runtime_.specialize(configuration); }, code, subject, message, remedy);
  }

  Configuration active_{{"factor", sartor::unguarded(3)}};
  sartor::Runtime runtime_;
  sartor::Handler<std::uint64_t(std::uint64_t, std::uint64_t, unsigned)> call_ =
      runtime_.handler<&scale>();
};

TEST_F(BadInput, UnknownLabelIsRefusedWithTheNearest) {
  expect_refusal({{"facter", 3}}, ErrorCode::unknown_label, "facter", "no point has this label",
                 "did you mean \"factor\"");
}

TEST_F(BadInput, ValueOutsideAnEnumIsRefusedWithItsChoices) {
  expect_refusal({{"factor", 4}}, ErrorCode::value_outside_choices, "factor", "4",
                 "choose among 2, 3, 5");
}

TEST_F(BadInput, ValueOutsideARangeIsRefusedWithItsBounds) {
  expect_refusal({{"offset", 5}}, ErrorCode::value_outside_choices, "offset", "5",
                 "choose from -4 to 4");
  expect_refusal({{"offset", -5}}, ErrorCode::value_outside_choices, "offset", "-5", "-4 to 4");
}

TEST_F(BadInput, OneValueOutsideAmongSeveralIsRefused) {
  expect_refusal({{"factor", sartor::any_of({2, 4})}}, ErrorCode::value_outside_choices, "factor",
                 "4", "2, 3, 5");
}

TEST_F(BadInput, ValueThatTheTypeCannotHoldIsRefused) {
  expect_refusal({{"factor", -1}}, ErrorCode::bad_value_type, "factor", "u64", "integer");
  expect_refusal({{"factor", "three"}}, ErrorCode::bad_value_type, "factor", "three", "integer");
  expect_refusal({{"mode_f", "x"}}, ErrorCode::bad_value_type, "mode_f", "f64", "a number");
}

TEST_F(BadInput, AnAssumptionCannotBeSetToFalse) {
  expect_refusal({{"ready", false}}, ErrorCode::value_outside_choices, "ready", "true",
                 "leave it out");
}

TEST_F(BadInput, OneWrongLabelAmongRightOnesChangesNothing) {
  expect_refusal({{"factor", 5}, {"offset", 1}, {"zzz", 1}}, ErrorCode::unknown_label, "zzz",
                 "no point", "there are");
}

TEST_F(BadInput, IsReportedByTheFutureOfABackgroundRequest) {
  auto future = runtime_.specialize_async({{"factor", 4}});
  expect_error([&] { future.get(); }, ErrorCode::value_outside_choices, "factor", "4", "choose");
  auto prepared = runtime_.prepare({{"facter", 3}});
  expect_error([&] { prepared.get(); }, ErrorCode::unknown_label, "facter", "", "factor");
}

TEST_F(BadInput, UnknownHandlerIsRefusedWithTheNearest) {
  expect_error([&] { (void)runtime_.handler<int(int)>("scael"); }, ErrorCode::unknown_handler,
               "scael", "not a handler", "did you mean \"scale\"");
}

TEST_F(BadInput, FunctionThatIsNoHandlerIsRefused) {
  expect_error([&] { (void)runtime_.handler<&weigh>(); }, ErrorCode::unknown_handler, "address",
               "not a handler", "SARTOR_HANDLER");
  expect_error([&] { (void)runtime_.handler<&Shape::area>(); }, ErrorCode::unknown_handler,
               "a virtual function", "each class may override it", "handler<int(Shape *, int)>");
}

TEST_F(BadInput, IsCountedAsAFailure) {
  const auto before = runtime_.statistics().failures;
  EXPECT_THROW(runtime_.specialize({{"factor", 4}}), sartor::Error);
  EXPECT_EQ(runtime_.statistics().failures, before + 1);
}

TEST_F(BadInput, ConfigurationThatIsNoJsonIsRefused) {
  expect_error([] { (void)Configuration::from_json("{\"factor\": }"); }, ErrorCode::bad_json, "",
               "", "");
}

TEST(NoHandlerModule, IsSaidByTheConstructor) {
  expect_error(
      [] { sartor::Runtime(std::span<const sartor_module>(), sartor::Options()); },
      ErrorCode::no_handler_module, "this program", "no handler module",
      "sartor_add_handler() in CMake, or compile them by sartor-cc; from a static library");
}

TEST(EventLog, ThatCannotBeWrittenIsRefused) {
  sartor::Options options;
  options.event_log = "/nowhere/at/all.jsonl";
  expect_error([&] { sartor::Runtime{options}; }, ErrorCode::file_error, "/nowhere/at/all.jsonl",
               "", "event log");
}

} // namespace
