// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/linker.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <llvm/AsmParser/Parser.h>
#include <llvm/Support/SourceMgr.h>

#include "compile/compile.h"
#include "point/host.h"

namespace sartor::jit {
namespace {

/// The object file of some IR.
std::string object_of(const char *text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, context);
  auto machine = point::make_target_machine(llvm::CodeGenOptLevel::Default);
  module->setTargetTriple(point::host().triple);
  module->setDataLayout(point::host().layout);
  return *generate(*module, *machine);
}

constexpr const char *kSeven = "define i32 @seven() { ret i32 7 }";
constexpr const char *kUsesOther = "declare i32 @nowhere_at_all(i32)\n"
                                   "define i32 @uses(i32 %x) {\n"
                                   "  %r = call i32 @nowhere_at_all(i32 %x)\n"
                                   "  ret i32 %r\n"
                                   "}";

int twice(int x) { return 2 * x; }

using Function = int (*)(int);

TEST(LinkerTest, MakesCodeThatRuns) {
  auto linker = Linker::create({});
  ASSERT_TRUE(linker);
  auto code = (*linker)->link(object_of(kSeven), "seven", {});
  ASSERT_TRUE(code);
  EXPECT_EQ(reinterpret_cast<int (*)()>((*code)->entry())(), 7);
}

TEST(LinkerTest, CountsWhatIsLinkedAndGivenBack) {
  auto linker = Linker::create({});
  ASSERT_TRUE(linker);
  auto first = (*linker)->link(object_of(kSeven), "seven", {});
  auto second = (*linker)->link(object_of(kSeven), "seven", {});
  ASSERT_TRUE(first && second);
  EXPECT_EQ((*linker)->usage().pieces, 2U);
  EXPECT_EQ((*linker)->usage().bytes, (*first)->bytes() + (*second)->bytes());
  EXPECT_GT((*first)->bytes(), 0U);
  first->reset();
  EXPECT_EQ((*linker)->usage().pieces, 1U);
  EXPECT_EQ((*linker)->usage().given_back, 1U);
  second->reset();
  EXPECT_EQ((*linker)->usage().bytes, 0U);
}

TEST(LinkerTest, ResolvesTheSymbolsItWasGiven) {
  auto linker = Linker::create({{"nowhere_at_all", reinterpret_cast<void *>(&twice)}});
  ASSERT_TRUE(linker);
  auto code = (*linker)->link(object_of(kUsesOther), "uses", {});
  ASSERT_TRUE(code);
  EXPECT_EQ(reinterpret_cast<Function>((*code)->entry())(21), 42);
}

TEST(LinkerTest, ResolvesTheSymbolsOfOneObjectAlone) {
  auto linker = Linker::create({});
  ASSERT_TRUE(linker);
  const std::string object = object_of(kUsesOther);
  auto code =
      (*linker)->link(object, "uses", {{"nowhere_at_all", reinterpret_cast<void *>(&twice)}});
  ASSERT_TRUE(code);
  EXPECT_EQ(reinterpret_cast<Function>((*code)->entry())(21), 42);
  EXPECT_FALSE((*linker)->link(object, "uses", {}));
}

TEST(LinkerTest, NamesAMissingSymbolAndGoesOn) {
  auto linker = Linker::create({});
  ASSERT_TRUE(linker);
  for (int i = 0; i < 20; ++i) {
    auto code = (*linker)->link(object_of(kUsesOther), "uses", {});
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().code, ErrorCode::missing_symbol);
    EXPECT_EQ(code.error().subject, "nowhere_at_all");
  }
  EXPECT_EQ((*linker)->usage().pieces, 0U);
  EXPECT_TRUE((*linker)->link(object_of(kSeven), "seven", {}));
}

TEST(LinkerTest, RefusesWhatIsNoObjectFile) {
  auto linker = Linker::create({});
  ASSERT_TRUE(linker);
  auto code = (*linker)->link("not an object file", "seven", {});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::compile_failed);
  EXPECT_THAT(code.error().message, testing::Not(testing::IsEmpty()));
}

TEST(LinkerTest, PlacesCodeNearTheProgram) {
  auto linker = Linker::create({{"twice", reinterpret_cast<void *>(&twice)}});
  ASSERT_TRUE(linker);
  auto code = (*linker)->link(object_of(kSeven), "seven", {});
  ASSERT_TRUE(code);
  const auto distance =
      reinterpret_cast<std::intptr_t>((*code)->entry()) - reinterpret_cast<std::intptr_t>(&twice);
  EXPECT_LT(std::abs(distance), std::intptr_t{1} << 31);
}

} // namespace
} // namespace sartor::jit
