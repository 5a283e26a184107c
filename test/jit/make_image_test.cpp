// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/make_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/image/pack.h"
#include "image_of.h"
#include "runtime/codemem/linker.h"

namespace sartor::compiler {
namespace {

using runtime::image_of;
using runtime::try_image_of;
using testing::Field;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr const char *kSwitches = R"(
declare i32 @abs(i32)
declare i32 @labs(i32)
@names = private constant [4 x ptr] [ptr @abs, ptr @labs, ptr @one, ptr null]
define internal i32 @one(i32 %x) noinline { ret i32 %x }
define i32 @calls(i32 %which, i32 %x) {
  %place = getelementptr [4 x ptr], ptr @names, i32 0, i32 %which
  %f = load ptr, ptr %place
  %r = call i32 %f(i32 %x)
  ret i32 %r
}
define i32 @table(i32 %x) {
  switch i32 %x, label %other [ i32 0, label %a
                                i32 1, label %b
                                i32 2, label %c
                                i32 3, label %d
                                i32 4, label %e ]
a: %ra = call i32 asm sideeffect "mov $$11, $0", "=r"()
  ret i32 %ra
b: %rb = call i32 asm sideeffect "mov $$22, $0", "=r"()
  ret i32 %rb
c: %rc = call i32 asm sideeffect "mov $$33, $0", "=r"()
  ret i32 %rc
d: %rd = call i32 asm sideeffect "mov $$44, $0", "=r"()
  ret i32 %rd
e: %re = call i32 asm sideeffect "mov $$55, $0", "=r"()
  ret i32 %re
other:
  ret i32 -1
}
)";

TEST(MakeImageTest, IsTheSameEachTime) {
  const std::string first = core::pack_image(image_of(kSwitches, "calls"));
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(core::pack_image(image_of(kSwitches, "calls")), first);
}

TEST(MakeImageTest, StandsBeingPacked) {
  const core::CodeImage image = image_of(kSwitches, "calls");
  const auto again = core::unpack_image(core::pack_image(image));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(*again, image);
}

TEST(MakeImageTest, NamesFunctionsAndSymbols) {
  const core::CodeImage image = image_of(kSwitches, "calls");
  std::vector<std::string> functions;
  for (const core::Function &function : image.functions)
    functions.push_back(function.name);
  EXPECT_THAT(functions, testing::IsSupersetOf({"calls", "one"}));
  EXPECT_THAT(image.symbols, UnorderedElementsAre(Field(&core::Symbol::name, "abs"),
                                                  Field(&core::Symbol::name, "labs")));
  EXPECT_TRUE(image.data.empty());
}

// A library call for a few bytes takes longer than comparing them in place.
TEST(MakeImageTest, ComparesAFewBytesInPlace) {
  const core::CodeImage image = image_of(R"(
declare i32 @bcmp(ptr, ptr, i64)
define i1 @same(ptr %a, ptr %b) {
  %r = call i32 @bcmp(ptr %a, ptr %b, i64 16)
  %same = icmp eq i32 %r, 0
  ret i1 %same
}
)",
                                         "same");
  EXPECT_THAT(image.symbols, testing::IsEmpty());
}

TEST(MakeImageTest, FillsTablesOfAddresses) {
  runtime::Linker linker({});
  const auto code = linker.link(image_of(kSwitches, "calls"), {});
  ASSERT_TRUE(code);
  const auto calls = reinterpret_cast<int (*)(int, int)>((*code)->entry());
  EXPECT_EQ(calls(0, -3), 3);
  EXPECT_EQ(calls(2, -3), -3);
}

TEST(MakeImageTest, KeepsJumpTables) {
  runtime::Linker linker({});
  const auto code = linker.link(image_of(kSwitches, "table"), {});
  ASSERT_TRUE(code);
  const auto table = reinterpret_cast<int (*)(int)>((*code)->entry());
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(table(i), 11 * (i + 1));
  EXPECT_EQ(table(5), -1);
}

TEST(MakeImageTest, HasConstantsOfManyAlignments) {
  runtime::Linker linker({});
  const auto code =
      linker.link(image_of("@wide = private constant <8 x float> <float 1.0, float 2.0, float 3.0, "
                           "float 4.0, float 5.0, float 6.0, float 7.0, float 8.0>, align 1024\n"
                           "define ptr @address() { ret ptr @wide }",
                           "address"),
                  {});
  ASSERT_TRUE(code);
  const auto *wide = reinterpret_cast<const float *(*)()>((*code)->entry())();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide) % 1024, 0U);
  EXPECT_EQ(wide[7], 8.0F);
}

TEST(MakeImageTest, CatchesExceptions) {
  runtime::Linker linker({});
  const auto image = image_of(R"(
declare i32 @__gxx_personality_v0(...)
declare ptr @__cxa_begin_catch(ptr)
declare void @__cxa_end_catch()
define i32 @catches(ptr %f) personality ptr @__gxx_personality_v0 {
  invoke void %f() to label %none unwind label %some
none:
  ret i32 0
some:
  %e = landingpad { ptr, i32 } catch ptr null
  %p = extractvalue { ptr, i32 } %e, 0
  %o = call ptr @__cxa_begin_catch(ptr %p)
  %v = load i32, ptr %o
  call void @__cxa_end_catch()
  ret i32 %v
}
)",
                              "catches");
  EXPECT_TRUE(image.data.empty());
  const auto code = linker.link(image, {});
  ASSERT_TRUE(code);
  const auto catches = reinterpret_cast<int (*)(void (*)())>((*code)->entry());
  EXPECT_EQ(catches([] {}), 0);
  EXPECT_EQ(catches([] { throw 42; }), 42);
}

TEST(MakeImageTest, RefusesVariablesOfThreads) {
  const auto image = try_image_of("@mine = thread_local global i32 1\n"
                                  "define ptr @address() { ret ptr @mine }",
                                  "address");
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::compile_failed);
}

TEST(MakeImageTest, RefusesWhatIsNoObjectFile) {
  const auto image = make_image("not an object file", "seven");
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::compile_failed);
  EXPECT_THAT(image.error().message, testing::Not(testing::IsEmpty()));
}

TEST(MakeImageTest, NamesAnEntryThatThereIsNot) {
  const auto image = try_image_of("define i32 @seven() { ret i32 7 }", "eight");
  ASSERT_FALSE(image);
  EXPECT_THAT(image.error().text(), HasSubstr("eight"));
}

} // namespace
} // namespace sartor::compiler
