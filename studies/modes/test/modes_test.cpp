// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Code with folded modes must behave like the same code that reads the modes: while modes are
/// valid, while they change, and afterwards.

#include "work.h"

#include <algorithm>
#include <chrono>
#include <clocale>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "quasi_invariants.h"

namespace modes {
namespace {

constexpr std::size_t kCount = 5'000;

class Modes : public testing::Test {
protected:
  static void SetUpTestSuite() {
    setlocale(LC_ALL, "C");
    Dynamic::locale_changes();
    Folded::locale_changes();
    Fixed::locale_changes();
    folded_file = Folded::open();
    dynamic_file = Dynamic::open();
    quasi_invariants = new QuasiInvariants(folded_file);
    // settle() waits 20 s for each quasi-invariant.
    for (int tries = 1;; ++tries) {
      try {
        return quasi_invariants->settle();
      } catch (const std::runtime_error &) {
        if (tries == 10)
          throw;
      }
    }
  }
  static void TearDownTestSuite() { delete quasi_invariants; }

  static void expect_same_files() {
    put_all<Folded>(folded_file, kCount);
    put_all<Dynamic>(dynamic_file, kCount);
    const ModesWritten &folded = Folded::written();
    const ModesWritten &dynamic = Dynamic::written();
    EXPECT_EQ(folded.bytes, dynamic.bytes);
    EXPECT_TRUE(std::ranges::equal(folded.kept, dynamic.kept));
  }
  static void expect_same_memory() {
    EXPECT_EQ(allocate_all<Folded>(kCount), allocate_all<Dynamic>(kCount));
  }
  static void expect_same_matches() {
    const std::string text = make_text(kCount);
    for (const bool as_word : {false, true})
      EXPECT_EQ(search_all<Folded>(Folded::pattern(kWord, as_word), text),
                search_all<Dynamic>(Dynamic::pattern(kWord, as_word), text));
  }

  static inline QuasiInvariants *quasi_invariants = nullptr;
  static inline void *folded_file = nullptr;
  static inline void *dynamic_file = nullptr;
};

TEST_F(Modes, AreGuardedWhereverTheyAreWritten) {
  for (const auto &[name, quasi_invariant] : quasi_invariants->all())
    EXPECT_TRUE(quasi_invariant.figures().watched) << name;
}

TEST_F(Modes, DoNotChangeWhatIsDone) {
  expect_same_files();
  expect_same_memory();
  expect_same_matches();
}

TEST_F(Modes, AreLeftOutOfTheStaticallyConfiguredBuild) {
  const std::string text = make_text(kCount);
  EXPECT_EQ(search_all<Fixed>(Fixed::pattern(kWord, true), text),
            search_all<Dynamic>(Dynamic::pattern(kWord, true), text));
  EXPECT_EQ(allocate_all<Fixed>(kCount), allocate_all<Dynamic>(kCount));
}

TEST_F(Modes, FollowTheLocale) {
  if (!setlocale(LC_ALL, "C.UTF-8"))
    GTEST_SKIP() << "there is no C.UTF-8";
  const auto broken = quasi_invariants->quasi_invariant("multibyte").figures().invalidated;
  Dynamic::locale_changes();
  Folded::locale_changes();
  EXPECT_GT(quasi_invariants->quasi_invariant("multibyte").figures().invalidated, broken);
  expect_same_matches();
  setlocale(LC_ALL, "C");
  Dynamic::locale_changes();
  Folded::locale_changes();
  expect_same_matches();
}

TEST_F(Modes, FollowThreadsThatComeAndGo) {
  const auto broken = quasi_invariants->quasi_invariant("malloc locks").figures().invalidated;
  for (int round = 0; round < 20; ++round) {
    Folded::thread_begins();
    Dynamic::thread_begins();
    {
      const std::jthread other([] {
        put_all<Folded>(folded_file, kCount);
        put_all<Dynamic>(dynamic_file, kCount);
        EXPECT_EQ(allocate_all<Folded>(kCount), allocate_all<Dynamic>(kCount));
      });
      expect_same_memory();
      put_all<Folded>(folded_file, kCount);
      put_all<Dynamic>(dynamic_file, kCount);
    }
    Folded::thread_ends();
    Dynamic::thread_ends();
    expect_same_memory();
    // The order in which threads have written is unspecified.
    EXPECT_EQ(Folded::written().bytes, Dynamic::written().bytes);
  }
  EXPECT_GE(quasi_invariants->quasi_invariant("malloc locks").figures().invalidated, broken + 1);
  EXPECT_TRUE(
      quasi_invariants->quasi_invariant("malloc locks").wait_until_valid(std::chrono::minutes(5)));
  expect_same_memory();
}

} // namespace
} // namespace modes
