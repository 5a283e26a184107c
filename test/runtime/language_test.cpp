// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/sartor.hpp>

#include "handlers/language.h"

void throw_number(int x) { throw x; }

namespace {

using testing::Contains;
using testing::HasSubstr;

std::vector<std::string> names_of(const std::vector<sartor::VariantInfo> &infos) {
  std::vector<std::string> names;
  for (const auto &info : infos)
    names.push_back(info.name);
  return names;
}

Big ascending() {
  Big big{};
  for (std::uint64_t i = 0; i < std::size(big.words); ++i)
    big.words[i] = i;
  return big;
}

TEST(LargeStructures, ArePassedAndReturned) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&add_to_all>();
  runtime.specialize({{"amount", sartor::unguarded(3)}});
  const Big result = call(ascending(), 1);
  EXPECT_EQ(result.words[0], 3U);
  EXPECT_EQ(result.words[11], 14U);
}

TEST(LargeStructures, ArePassedAndReturnedThroughThePlainFunction) {
  sartor::Runtime runtime;
  Big (*call)(Big, std::uint64_t) = runtime.handler<&add_to_all>().function();
  EXPECT_EQ(call(ascending(), 1).words[11], 12U);
  runtime.specialize({{"amount", sartor::unguarded(3)}});
  EXPECT_EQ(call(ascending(), 1).words[11], 14U);
}

TEST(ManyArguments, OfAllKindsArriveThroughThePlainFunction) {
  sartor::Runtime runtime;
  auto *call = runtime.handler<&mixed>().function();
  runtime.specialize({{"mode_f", 0.5}});
  EXPECT_EQ(call(-1, -2, 3.5F, 4.25, 5, -6, 7, 8, 0.5), 19.25);
  EXPECT_EQ(call(-1, -2, 3.5F, 4.25, 5, -6, 7, 8, 2), 20.75);
}

template <class Call> void expect_throws_at_limit(Call call) {
  EXPECT_EQ(call(1, 2), 1);
  try {
    call(2, 2);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::string &what) {
    EXPECT_EQ(what, "2 at 2");
  }
  EXPECT_THROW(call(3, 3), std::string); // in the generic code behind the side exit
}

TEST(Exceptions, PassThroughTheNativeCode) {
  sartor::Runtime runtime;
  expect_throws_at_limit(runtime.handler<&throws_at>());
}

TEST(Exceptions, PassThroughAVariant) {
  sartor::Runtime runtime;
  runtime.specialize({{"mode", 2}});
  expect_throws_at_limit(runtime.handler<&throws_at>());
}

TEST(Exceptions, PassThroughThePlainFunction) {
  sartor::Runtime runtime;
  runtime.specialize({{"mode", 2}});
  expect_throws_at_limit(runtime.handler<&throws_at>().function());
}

TEST(Exceptions, LeaveNoReadSectionBehind) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&throws_at>();
  auto *function = call.function();
  runtime.specialize({{"mode", 2}});
  EXPECT_THROW(call(2, 2), std::string);
  EXPECT_THROW(function(2, 2), std::string);
  EXPECT_EQ(sartor::detail::reader->word & sartor::detail::kNesting, 0U);
}

TEST(Exceptions, AreCaughtInsideAVariant) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&catches_inside>();
  runtime.specialize({{"mode", 2}});
  EXPECT_EQ(call(1, 2), 2);
  EXPECT_EQ(call(5, 2), -5);
  EXPECT_EQ(call(5, 3), -5);
  EXPECT_EQ(call(1, 3), 3);
}

TEST(Classes, WithDestructorsAreReturned) {
  sartor::Runtime runtime;
  auto call = runtime.handler<&joined>();
  runtime.specialize({{"mode", 3}});
  EXPECT_EQ(call("long enough for the heap ", 3),
            "long enough for the heap long enough for the heap long enough for the heap ");
  EXPECT_EQ(call("ab", 1), "ab");
}

TEST(Templates, AreHandlersOfTheirOwn) {
  sartor::Runtime runtime;
  auto integer = runtime.handler<&twice<int>>();
  auto byte = runtime.handler<&twice<std::uint8_t>>();
  const auto infos = runtime.specialize({{"mode", sartor::unguarded(3)}});
  EXPECT_EQ(integer(200, 1), 402);
  EXPECT_EQ(byte(200, 1), 146);
  EXPECT_THAT(names_of(infos),
              testing::IsSupersetOf({"twice<int>{mode=3!}", "twice<unsigned char>{mode=3!}"}));
}

TEST(StaticHandlers, OfOneNameInTwoFilesAreTwo) {
  sartor::Runtime runtime;
  ASSERT_EQ(static_handler_of_language()(1, 1) + static_handler_of_static_too()(1, 1), 1004);
  std::vector<std::string> names = runtime.handlers();
  std::erase_if(names, [](const std::string &name) {
    return name.find("static_handler") == std::string::npos;
  });
  ASSERT_EQ(names.size(), 2U);
  ASSERT_NE(names[0], names[1]);
  const auto first = runtime.handler<int(int, int)>(names[0]);
  const auto second = runtime.handler<int(int, int)>(names[1]);
  EXPECT_EQ(first(1, 1) + second(1, 1), 1004);
  runtime.specialize({{"mode", sartor::unguarded(3)}});
  EXPECT_EQ(first(1, 1) + second(1, 1), 1008);
}

TEST(StaticHandlers, OfOneNameAreNotFoundByThatNameAlone) {
  sartor::Runtime runtime;
  try {
    (void)runtime.handler<int(int, int)>("static_handler");
    ADD_FAILURE() << "found";
  } catch (const sartor::Error &error) {
    EXPECT_EQ(error.code(), sartor::ErrorCode::unknown_handler);
    EXPECT_THAT(error.what(), HasSubstr("several handlers have this name"));
  }
}

TEST(StaticHandlers, InAnUnnamedNamespaceHaveAName) {
  sartor::Runtime runtime;
  auto call = runtime.handler<int(int, int)>("(anonymous namespace)::hidden");
  const auto infos = runtime.specialize({{"mode", sartor::unguarded(3)}});
  EXPECT_EQ(call(10, 1), 7);
  EXPECT_EQ(unnamed_handler()(10, 1), 9);
  EXPECT_THAT(names_of(infos), Contains("(anonymous namespace)::hidden{mode=3!}"));
}

TEST(CHandlers, AreFoundByName) {
  sartor::Runtime runtime;
  auto call = runtime.handler<unsigned(unsigned, unsigned)>("c_handler");
  runtime.specialize({{"c_mode", sartor::unguarded(3)}});
  EXPECT_EQ(call(7, 1), 21U);
}

TEST(VariadicHandlers, HaveNoPlainFunction) {
  sartor::Runtime runtime;
  auto call = runtime.handler<int(int, int)>("variadic");
  try {
    (void)call.function();
    ADD_FAILURE() << "compiled";
  } catch (const sartor::Error &error) {
    EXPECT_EQ(error.code(), sartor::ErrorCode::point_not_specializable);
    EXPECT_EQ(error.failure().subject, "variadic");
    EXPECT_THAT(error.failure().remedy, HasSubstr("Handler"));
  }
}

TEST(Overloads, AreFoundByMangledNameOnly) {
  sartor::Runtime runtime;
  auto call = runtime.handler<long(long)>("_ZN5names10overloadedEl");
  EXPECT_EQ(call(5), 7);
  EXPECT_THROW((void)runtime.handler<long(long)>("names::overloaded"), sartor::Error);
}

TEST(PlainFunction, IsTheSameForEveryVariant) {
  sartor::Runtime runtime;
  auto handler = runtime.handler<&joined>();
  auto *before = handler.function();
  runtime.specialize({{"mode", 3}});
  EXPECT_EQ(before, handler.function());
  EXPECT_EQ(before("x", 3), "xxx");
}

} // namespace
