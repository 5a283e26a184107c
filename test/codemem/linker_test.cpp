// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/linker.h"

#include <cstdlib>
#include <fstream>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/life.h"
#include "image_of.h"

namespace sartor::runtime {
namespace {

constexpr const char *kSeven = "define i32 @seven() { ret i32 7 }";
constexpr const char *kUsesOther = "declare i32 @nowhere_at_all(i32)\n"
                                   "define i32 @uses(i32 %x) {\n"
                                   "  %r = call i32 @nowhere_at_all(i32 %x)\n"
                                   "  ret i32 %r\n"
                                   "}";
// The IR has a load of the address, an ordinary call, and a tail call.
constexpr const char *kUsesAbsolute = "declare i32 @abs(i32)\n"
                                      "define i32 @uses(i32 %x) {\n"
                                      "  %a = call i32 @abs(i32 %x)\n"
                                      "  %b = sub i32 0, %a\n"
                                      "  %r = tail call i32 @abs(i32 %b)\n"
                                      "  ret i32 %r\n"
                                      "}\n"
                                      "define ptr @address() { ret ptr @abs }";
constexpr const char *kCounts = "@count = internal global i32 40\n"
                                "@more = internal global i32 0\n"
                                "define i32 @next() {\n"
                                "  %old = load volatile i32, ptr @count\n"
                                "  %new = add i32 %old, 1\n"
                                "  store volatile i32 %new, ptr @count\n"
                                "  %other = load volatile i32, ptr @more\n"
                                "  %more = add i32 %other, 100\n"
                                "  store volatile i32 %more, ptr @more\n"
                                "  %sum = add i32 %new, %other\n"
                                "  ret i32 %sum\n"
                                "}";

int twice(int x) { return 2 * x; }

using Function = int (*)(int);

template <class F> F entry_of(const Result<std::unique_ptr<Code>> &code) {
  return reinterpret_cast<F>((*code)->entry());
}

TEST(LinkerTest, MakesCodeThatRuns) {
  Linker linker({});
  const auto code = linker.link(image_of(kSeven, "seven"), {});
  ASSERT_TRUE(code);
  EXPECT_EQ(entry_of<int (*)()>(code)(), 7);
}

TEST(LinkerTest, CountsWhatIsLinkedAndReleased) {
  Linker linker({});
  const core::CodeImage seven = image_of(kSeven, "seven");
  auto first = linker.link(seven, {});
  auto second = linker.link(seven, {});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(linker.usage().variants, 2U);
  EXPECT_EQ(linker.usage().bytes, (*first)->bytes() + (*second)->bytes());
  EXPECT_GT((*first)->bytes(), 0U);
  first->reset();
  EXPECT_EQ(linker.usage().variants, 1U);
  EXPECT_EQ(linker.usage().released, 1U);
  {
    const auto stub = linker.link(seven, {}, Linker::Kind::stub);
    EXPECT_EQ(linker.usage().variants, 1U);
    EXPECT_GT(linker.usage().bytes, (*second)->bytes());
  }
  EXPECT_EQ(linker.usage().released, 1U);
  second->reset();
  EXPECT_EQ(linker.usage().bytes, 0U);
  EXPECT_EQ(linker.usage().resident_bytes, 0U);
}

TEST(LinkerTest, ResolvesTheSymbolsItWasGiven) {
  Linker linker({{"nowhere_at_all", reinterpret_cast<void *>(&twice)}});
  const auto code = linker.link(image_of(kUsesOther, "uses"), {});
  ASSERT_TRUE(code);
  EXPECT_EQ(entry_of<Function>(code)(21), 42);
}

TEST(LinkerTest, ResolvesTheSymbolsOfOneImageAlone) {
  Linker linker({});
  const core::CodeImage uses = image_of(kUsesOther, "uses");
  const auto code = linker.link(uses, {{"nowhere_at_all", reinterpret_cast<void *>(&twice)}});
  ASSERT_TRUE(code);
  EXPECT_EQ(entry_of<Function>(code)(21), 42);
  EXPECT_FALSE(linker.link(uses, {}));
}

TEST(LinkerTest, PrefersTheNamesOfTheProgram) {
  Linker linker({{"abs", reinterpret_cast<void *>(&twice)}});
  const auto code = linker.link(image_of(kUsesAbsolute, "uses"), {});
  ASSERT_TRUE(code);
  EXPECT_EQ(entry_of<Function>(code)(3), -12);
}

TEST(LinkerTest, CallsWhatIsOutOfReach) {
  // Code is placed near the program; the C library is out of reach.
  Linker linker({{"somewhere", reinterpret_cast<void *>(&twice)}});
  const auto calls = linker.link(image_of(kUsesAbsolute, "uses"), {});
  const auto loads = linker.link(image_of(kUsesAbsolute, "address"), {});
  ASSERT_TRUE(calls && loads);
  EXPECT_EQ(entry_of<Function>(calls)(-21), 21);
  EXPECT_EQ(entry_of<Function>(calls)(21), 21);
  EXPECT_EQ(entry_of<Function (*)()>(loads)()(-5), 5);
}

TEST(LinkerTest, LeavesNullWhatMayBeMissing) {
  Linker linker({});
  const auto code = linker.link(image_of("declare extern_weak void @nowhere_at_all()\n"
                                         "define ptr @address() { ret ptr @nowhere_at_all }",
                                         "address"),
                                {});
  ASSERT_TRUE(code);
  EXPECT_EQ(entry_of<void *(*)()>(code)(), nullptr);
}

TEST(LinkerTest, GivesEachPieceVariablesOfItsOwn) {
  Linker linker({});
  const core::CodeImage counts = image_of(kCounts, "next");
  const auto one = linker.link(counts, {});
  const auto other = linker.link(counts, {});
  ASSERT_TRUE(one && other);
  EXPECT_EQ(entry_of<int (*)()>(one)(), 41);
  EXPECT_EQ(entry_of<int (*)()>(one)(), 142);
  EXPECT_EQ(entry_of<int (*)()>(other)(), 41);
}

TEST(LinkerTest, LetsExceptionsPass) {
  Linker linker({});
  constexpr const char *kPasses = "define void @passes(ptr %f) uwtable {\n"
                                  "  call void %f()\n"
                                  "  call void %f()\n"
                                  "  ret void\n"
                                  "}";
  const auto code = linker.link(image_of(kPasses, "passes"), {});
  ASSERT_TRUE(code);
  EXPECT_THROW(entry_of<void (*)(void (*)())>(code)([] { throw 1; }), int);
}

TEST(LinkerTest, NamesAMissingSymbolAndGoesOn) {
  Linker linker({});
  const core::CodeImage uses = image_of(kUsesOther, "uses");
  for (int i = 0; i < 20; ++i) {
    auto code = linker.link(uses, {});
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().code, ErrorCode::missing_symbol);
    EXPECT_EQ(code.error().subject, "nowhere_at_all");
  }
  EXPECT_EQ(linker.usage().variants, 0U);
  EXPECT_TRUE(linker.link(image_of(kSeven, "seven"), {}));
}

TEST(LinkerTest, PlacesCodeNearTheProgram) {
  Linker linker({{"twice", reinterpret_cast<void *>(&twice)}});
  const auto code = linker.link(image_of(kSeven, "seven"), {});
  ASSERT_TRUE(code);
  const auto distance =
      reinterpret_cast<std::intptr_t>((*code)->entry()) - reinterpret_cast<std::intptr_t>(&twice);
  EXPECT_LT(std::abs(distance), std::intptr_t{1} << 31);
}

/// Never called: a registered resident, so that fork() is handled.
class IdleResident final : public base::Resident {};

TEST(LinkerTest, ChildKeepsWhatItsParentGivesUp) {
  IdleResident resident;
  base::add(resident);
  Linker linker({});
  const core::CodeImage seven = image_of(kSeven, "seven");
  auto code = linker.link(seven, {});
  const auto stays = linker.link(seven, {});
  ASSERT_TRUE(code && stays);
  const auto call = entry_of<int (*)()>(code);
  int gone[2];
  ASSERT_EQ(pipe(gone), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    (void)!read(gone[0], &byte, 1);
    const auto own = linker.link(seven, {});
    _exit(own && call() == 7 && entry_of<int (*)()>(own)() == 7 ? 0 : 1);
  }
  code->reset();
  // New code must not be placed where the child still runs the old code.
  const auto next = linker.link(image_of("define i32 @eight() { ret i32 8 }", "eight"), {});
  ASSERT_TRUE(next);
  EXPECT_EQ(entry_of<int (*)()>(next)(), 8);
  ASSERT_EQ(write(gone[1], "x", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(entry_of<int (*)()>(stays)(), 7);
  base::remove(resident);
}

TEST(LinkerTest, NothingIsWritableAndExecutable) {
  Linker linker({});
  const auto code = linker.link(image_of(kCounts, "next"), {});
  ASSERT_TRUE(code);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    EXPECT_THAT(line, testing::Not(testing::HasSubstr("rwx")));
}

TEST(LinkerTest, ThreadsLinkAndReleaseAtOnce) {
  Linker linker({});
  const core::CodeImage counts = image_of(kCounts, "next");
  const core::CodeImage seven = image_of(kSeven, "seven");
  const auto link = [&] {
    for (int i = 0; i < 300; ++i) {
      const auto one = linker.link(seven, {});
      const auto other = linker.link(counts, {});
      ASSERT_TRUE(one && other);
      EXPECT_EQ(entry_of<int (*)()>(one)() + entry_of<int (*)()>(other)(), 48);
    }
  };
  std::jthread other(link);
  link();
}

} // namespace
} // namespace sartor::runtime
