// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// At the interface between a variant and native code, a variant must behave like the native code.
#include <cmath>
#include <cstring>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "interface_shapes.h"

Eight counted_from(float first) {
  Eight values;
  for (int i = 0; i < 8; ++i)
    values[i] = first + static_cast<float>(i);
  return values;
}

namespace {

using sartor::ErrorCode;
using testing::HasSubstr;

template <class T> bool same_bits(const T &a, const T &b) {
  return std::memcmp(static_cast<const void *>(&a), static_cast<const void *>(&b), sizeof(T)) == 0;
}

sartor::Failure refusal(sartor::Runtime &runtime, const sartor::Configuration &configuration) {
  try {
    runtime.specialize(configuration);
  } catch (const sartor::Error &error) {
    return error.failure();
  }
  ADD_FAILURE() << configuration.text() << " was not refused";
  return {};
}

TEST(Interface, PassesVectorsWhereNativeCodeLooksForThem) {
  sartor::Runtime runtime;
  const auto eight = runtime.handler<&scaled>();
  const auto sixteen = runtime.handler<&scaled_more>();
  const auto native = runtime.handler<&from_native>();
  runtime.specialize({{"scaled", 2}, {"scaled_more", 2}, {"from_native", 2}});
  const Eight values = counted_from(1);
  Sixteen more;
  for (int i = 0; i < 16; ++i)
    more[i] = static_cast<float>(i);
  for (int by = 2; by < 4; ++by) {
    EXPECT_TRUE(same_bits(eight(values, by), scaled(values, by))) << by;
    EXPECT_TRUE(same_bits(eight.function()(values, by), scaled(values, by))) << "by its function";
    EXPECT_TRUE(same_bits(sixteen(more, by), scaled_more(more, by))) << by;
    EXPECT_EQ(native(by), from_native(by));
  }
}

TEST(Interface, LeavesCodeForOtherMachinesAsItIs) {
  sartor::Runtime runtime;
  const auto handler = runtime.handler<&on_any_machine>();
  runtime.specialize({{"on_any_machine", 3}});
  const long values[] = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(handler(values, 3), on_any_machine(values, 3));
  EXPECT_EQ(handler(values, 4), on_any_machine(values, 4));
}

TEST(Interface, GivesWhatTheLibraryGives) {
  sartor::Runtime runtime;
  const auto sine_handler = runtime.handler<&sine>();
  const auto exponential_handler = runtime.handler<&exponential>();
  const auto power_handler = runtime.handler<&power>();
  std::mt19937 random(1);
  std::uniform_real_distribution<float> any(0, 20);
  int distinguished = 0;
  for (int i = 0; i < 200'000 && distinguished < 4; ++i) {
    const float x = any(random);
    const auto by_double = static_cast<float>(std::exp(static_cast<double>(x)));
    if (static_cast<float>(std::sin(static_cast<double>(x))) == sine(x) &&
        by_double == exponential(x))
      continue;
    ++distinguished;
    runtime.specialize({{"sine", x}, {"exponential", x}, {"power", x}});
    EXPECT_TRUE(same_bits(sine_handler(x), sine(x))) << x;
    EXPECT_TRUE(same_bits(exponential_handler(x), exponential(x))) << x;
    EXPECT_TRUE(same_bits(power_handler(1.7F, x), power(1.7F, x))) << x;
  }
}

TEST(Interface, RaisesToAKnownPowerAsTheLibraryDoes) {
  sartor::Runtime runtime;
  const auto handler = runtime.handler<&squared>();
  runtime.specialize({{"squared", 2.0}});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(0, 30);
  for (int i = 0; i < 20'000; ++i) {
    const double x = any(random);
    ASSERT_TRUE(same_bits(handler(x, 2.0), squared(x, 2.0))) << x;
  }
}

TEST(Interface, DoesNotFuseWhatNativeCodeRoundsTwice) {
  sartor::Runtime runtime;
  const auto handler = runtime.handler<&fused>();
  runtime.specialize({{"fused", 3}});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> any(-3, 3);
  for (int i = 0; i < 2'000; ++i) {
    const double x = any(random);
    const double y = any(random);
    const double z = any(random);
    ASSERT_TRUE(same_bits(handler(x, y, z, 3), fused(x, y, z, 3)));
  }
}

TEST(Interface, RemembersNoAnswerThatIsOneThreadsAlone) {
  sartor::Runtime runtime;
  const sartor::Failure refused = refusal(runtime, {{"thread_slot", 4}});
  EXPECT_EQ(refused.code, ErrorCode::impure_function);
  EXPECT_THAT(refused.message, HasSubstr("thread-local"));
}

TEST(Interface, RemembersNoAnswerByTheAddressOfALocalVariable) {
  sartor::Runtime runtime;
  const sartor::Failure refused = refusal(runtime, {{"keyed_by_local", 4}});
  EXPECT_EQ(refused.subject, "keyed_by_local");
  EXPECT_THAT(refused.message, HasSubstr("local variable"));
}

TEST(Interface, RefusesToSetAPointThatNoHandlerReaches) {
  sartor::Runtime runtime;
  const sartor::Failure refused = refusal(runtime, {{"not_a_handler", 1}});
  EXPECT_EQ(refused.code, ErrorCode::point_not_specializable);
  EXPECT_THAT(refused.message, HasSubstr("no handler reaches it"));
  EXPECT_EQ(not_a_handler(1), 2);
}

TEST(Interface, SaysWhatASettingChangedNothingIn) {
  sartor::Runtime runtime;
  std::vector<sartor::Remark> remarks;
  for (const auto &info : runtime.specialize({{"computes_nothing_from_it", 3}}))
    remarks.insert(remarks.end(), info.remarks.begin(), info.remarks.end());
  EXPECT_THAT(remarks, testing::Contains(testing::Field(&sartor::Remark::code,
                                                        sartor::RemarkCode::point_unused)));
}

TEST(Interface, ResumesCoroutinesInEitherTier) {
  sartor::Runtime runtime;
  const auto handler = runtime.handler<&resumes>();
  auto ready = runtime.specialize_async({{"resumes", 5}});
  while (ready.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    ASSERT_EQ(handler(5), resumes(5));
  ready.get();
  EXPECT_EQ(handler(5), resumes(5));
  EXPECT_EQ(handler(6), resumes(6));
}

TEST(Interface, LeavesLooseFloatsAloneWhereFloatsAreExact) {
  const double values[] = {1e16, 1, 1, -1e16};
  {
    sartor::Runtime runtime;
    runtime.specialize({{"sum_in_any_order", 4}});
  }
  sartor::Runtime runtime({.exact_floats = true});
  const sartor::Failure refused = refusal(runtime, {{"sum_in_any_order", 4}});
  EXPECT_EQ(refused.code, ErrorCode::point_not_specializable);
  EXPECT_THAT(refused.message, HasSubstr("-ffast-math"));
  runtime.specialize({{"computes_nothing_from_it", 3}}); // other points are specialized
  const double plain = sum_in_any_order(values, 4);
  EXPECT_EQ(runtime.handler<&sum_in_any_order>()(values, 4), plain);
}

TEST(Interface, RefusesToSetAPointWhoseShapeStaysGeneric) {
  sartor::Runtime runtime;
  const sartor::Failure refused = refusal(runtime, {{"with_setjmp", 1}});
  EXPECT_EQ(refused.code, ErrorCode::point_not_specializable);
  EXPECT_THAT(refused.message, HasSubstr("setjmp"));
}

} // namespace
