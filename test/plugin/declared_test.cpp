// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Quasi-invariants and invariants of variables that are declared outside the source, in the file
/// of declarations alone.

#include "declared.h"
#include "paths.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/c/sartor.h>
#include <sartor/sartor.hpp>

namespace {

std::atomic<bool> refuses = false;
std::atomic<int> asked = 0;
std::atomic<int> reinforced = 0;

} // namespace

int refuses_mode(void *, unsigned long) {
  ++asked;
  return refuses ? 1 : 0;
}
int reinforces_depth(void *, unsigned long) {
  ++reinforced;
  return 1;
}

namespace {

/// Quasi-invariants become valid in the background, after an unspecified time.
bool comes_true(const std::function<bool()> &what) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (!what())
    if (std::chrono::steady_clock::now() > end)
      return false;
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  return true;
}

bool is_asked() {
  const int before = asked;
  set_mode(mode);
  return asked > before;
}

class Declared : public testing::Test {
protected:
  Declared() { refuses = false; }
};

TEST_F(Declared, AnswersOfTheProgramAreAskedForWhileThereIsARuntime) {
  refuses = true;
  set_mode(1);
  EXPECT_EQ(asked, 0);
  {
    const sartor::Runtime runtime;
    EXPECT_TRUE(comes_true(is_asked));
    set_mode(2);
    EXPECT_EQ(mode, 1);
    refuses = false;
    set_mode(2);
    EXPECT_EQ(mode, 2);
  }
  EXPECT_FALSE(is_asked());
  set_mode(1);
  EXPECT_EQ(mode, 1);
}

TEST_F(Declared, WritesAreRefusedWithoutAskingWhereTheFileSaysSo) {
  const sartor::Runtime runtime;
  int to = 1;
  EXPECT_TRUE(comes_true([&] {
    set_level(++to);
    return level != to;
  }));
}

TEST_F(Declared, FieldsOfAVariableAreQuasiInvariantsByThemselves) {
  const sartor::Runtime runtime;
  int to = 1;
  EXPECT_TRUE(comes_true([&] {
    set_most(++to);
    return most() != to;
  }));
}

TEST_F(Declared, TheProgramMayDoOtherwise) {
  const sartor::Runtime runtime;
  int to = 1;
  EXPECT_TRUE(comes_true([&] {
    set_depth(++to);
    return depth != to;
  }));
  EXPECT_GE(reinforced, 1);
}

TEST_F(Declared, RuntimesShareTheQuasiInvariants) {
  refuses = true;
  auto first = std::make_unique<sartor::Runtime>();
  const sartor::Runtime second;
  EXPECT_TRUE(comes_true(is_asked));
  const int before = asked;
  set_mode(mode);
  EXPECT_EQ(asked, before + 1);
  first.reset();
  EXPECT_TRUE(is_asked());
}

TEST_F(Declared, QuasiInvariantsAreHadByTheirNames) {
  const sartor::Runtime runtime;
  const auto quasi_invariant = sartor::declared_quasi_invariant("mode");
  ASSERT_TRUE(quasi_invariant->wait_until_valid(std::chrono::seconds(60)));
  EXPECT_TRUE(quasi_invariant->figures().watched);
  EXPECT_EQ(quasi_invariant->figures().invalidated, 0U);
  set_mode(mode);
  EXPECT_EQ(quasi_invariant->figures().invalidated, 1U);
  EXPECT_EQ(sartor::declared_quasi_invariant("mode")->figures().invalidated, 1U);
  EXPECT_EQ(sartor::declared_quasi_invariant("limits.most")->name(), "limits.most");
}

TEST_F(Declared, QuasiInvariantsAreThereWhileSomebodyHasOne) {
  auto quasi_invariant = sartor::declared_quasi_invariant("mode"); // without a Runtime
  ASSERT_TRUE(quasi_invariant->wait_until_valid(std::chrono::seconds(60)));
  EXPECT_TRUE(is_asked());
  {
    const sartor::Runtime runtime;
  }
  EXPECT_TRUE(comes_true(is_asked));
  quasi_invariant.reset();
  EXPECT_FALSE(is_asked());
}

TEST_F(Declared, WhatIsNoQuasiInvariantIsAnErrorThatNamesThoseThereAre) {
  for (const char *name : {"modes", "unit", "", "limits"}) // `unit` is an invariant
    try {
      (void)sartor::declared_quasi_invariant(name);
      ADD_FAILURE() << name;
    } catch (const sartor::Error &error) {
      EXPECT_EQ(error.code(), sartor::ErrorCode::bad_invariant);
      EXPECT_EQ(error.failure().subject, name);
    }
  try {
    (void)sartor::declared_quasi_invariant("modes");
  } catch (const sartor::Error &error) {
    EXPECT_NE(error.failure().remedy.find("\"mode\""), std::string::npos) << error.what();
  }
}

TEST_F(Declared, QuasiInvariantsAreHadInCToo) {
  sartor_quasi_invariant *quasi_invariant = nullptr;
  ASSERT_EQ(sartor_quasi_invariant_declared("level", &quasi_invariant), SARTOR_OK);
  EXPECT_EQ(sartor_quasi_invariant_wait(quasi_invariant, 60), 1);
  set_level(level + 1);
  char *figures = nullptr;
  ASSERT_EQ(sartor_quasi_invariant_figures(quasi_invariant, &figures), SARTOR_OK);
  EXPECT_NE(std::string(figures).find("\"refused\":1"), std::string::npos) << figures;
  sartor_free(figures);
  EXPECT_EQ(
      sartor_quasi_invariant_add_part(quasi_invariant, &level, sizeof level, &level, sizeof level),
      static_cast<int>(sartor::ErrorCode::bad_invariant));
  sartor_quasi_invariant_free(quasi_invariant);
  sartor_quasi_invariant *none = nullptr;
  EXPECT_EQ(sartor_quasi_invariant_declared("levels", &none),
            static_cast<int>(sartor::ErrorCode::bad_invariant));
  EXPECT_EQ(none, nullptr);
  EXPECT_NE(sartor_quasi_invariant_declared(nullptr, &none), SARTOR_OK);
}

TEST_F(Declared, AChildOfForkHasThemToo) {
  refuses = true;
  const sartor::Runtime runtime;
  EXPECT_TRUE(comes_true(is_asked));
  const pid_t child = fork();
  if (child == 0)
    _exit(comes_true(is_asked) ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Declared, OfALibraryThatIsLoadedLaterHoldToo) {
  const sartor::Runtime runtime;
  void *library = dlopen(paths::declared_library().c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  const auto set = reinterpret_cast<void (*)(int)>(dlsym(library, "set_mode"));
  const auto times_asked = reinterpret_cast<int (*)()>(dlsym(library, "times_asked"));
  EXPECT_TRUE(comes_true([&] {
    set(5);
    return times_asked() > 0;
  }));
  // Written before the quasi-invariant was valid.
  EXPECT_EQ(*static_cast<int *>(dlsym(library, "mode")), 5);
  set(6);
  EXPECT_EQ(*static_cast<int *>(dlsym(library, "mode")), 5);
}

// A write to a variable that is declared static is not reported, so a stale result shows that the
// variable was folded.
TEST_F(Declared, StaticVariablesFold) {
  int &unit = const_cast<int &>(*unit_of_price());
  sartor::Runtime runtime;
  const auto handler =
      runtime.handler<long(Side, unsigned char, long, const char *, bool, long)>("trade");
  const long before = handler(buy, 1, 1000, nullptr, false, 0);
  runtime.specialize({{"side", buy}});
  unit *= 2;
  EXPECT_EQ(handler(buy, 1, 1000, nullptr, false, 0), before);
  EXPECT_NE(trade(buy, 1, 1000, nullptr, false, 0), before); // the native code
  unit /= 2;
}

} // namespace
