// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each kind of mutant makes a variant that differs from the native code.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/mutants/mutant.h"
#include "mutant_handlers.h"
#include "paths.h"
#include "specialize/folding.h"

extern "C" {
__attribute__((noinline)) long outside(long one, long other) { return one * 31 + other * 7; }
__attribute__((noinline)) void seen(long *value) { value[1] += value[2]; }
}

namespace {

using Handler = long(const Table *, long, long);
using sartor::core::Tier;

struct Native {
  const char *name;
  Handler *function;
};
constexpr std::array kNatives{Native{"numbers", numbers}, Native{"control", control},
                              Native{"memory", memory},   Native{"floats", floats},
                              Native{"lanes", lanes},     Native{"guarded", guarded}};

std::array<char, 128> out;
Table table{41, 10, out.data()};

long result_of(Handler *function, long a, long b) {
  out.fill(3);
  long result = function(&table, a, b);
  for (const char each : out)
    result = result * 33 + each;
  return result;
}

/// The wait status of a process that has ended with 0 if the variant gives the same results as the
/// native code. It may use a second of processor time.
int status_of(Handler *variant, Handler *native) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit second{1, 1};
    setrlimit(RLIMIT_CPU, &second);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    for (const int signal : {SIGSEGV, SIGILL, SIGFPE, SIGBUS, SIGABRT, SIGTRAP})
      std::signal(signal, SIG_DFL);
    for (long a = -40; a < 40; a += 3)
      for (long b = -9; b < 40; ++b)
        if (result_of(variant, a, b) != result_of(native, a, b))
          _exit(1);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

/// True if the variant gives another result than the native code, faults or does not return.
bool differs(Handler *variant, Handler *native) {
  // A machine that is busy may count its own time as that of the process.
  constexpr int kTries = 3;
  int status = status_of(variant, native);
  for (int i = 1; i < kTries && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; ++i)
    status = status_of(variant, native);
  return status != 0;
}

Folding &folding() {
  static Folding &one = []() -> Folding & {
    setenv("SARTOR_COMPILER_LIBRARY", paths::mutants_library().c_str(), 1);
    static Folding made;
    return made;
  }();
  return one;
}

Handler *variant_of(const Native &native, Tier tier) {
  InvariantFixture declared;
  declared.add(table);
  const auto configuration = std::string(native.name) == "guarded"
                                 ? sartor::Configuration{{"mode", 5}}
                                 : sartor::Configuration{};
  return folding().made<Handler>(folding().context(native.name, &table, declared, configuration),
                                 tier);
}

class EachMutant : public testing::TestWithParam<std::size_t> {
protected:
  ~EachMutant() override { unsetenv("SARTOR_MUTANT"); }
};

TEST_P(EachMutant, MakesAVariantThatDiffers) {
  const auto &kind = sartor::compiler::mutant_kinds()[GetParam()];
  constexpr unsigned kMostPlaces = 24;
  for (unsigned place = 0; place < kMostPlaces; ++place)
    for (const Native &native : kNatives) {
      setenv("SARTOR_MUTANT", (kind.name().str() + ":" + std::to_string(place)).c_str(), 1);
      testing::internal::CaptureStderr();
      Handler *variant = variant_of(native, Tier::full);
      const std::string said = testing::internal::GetCapturedStderr();
      ASSERT_NE(said.find("mutant " + kind.name().str()), std::string::npos) << said;
      const bool is_applied = said.find(": changed ") != std::string::npos;
      const bool is_different = differs(variant, native.function);
      ASSERT_TRUE(is_applied || !is_different) << said;
      if (is_different)
        return;
    }
  FAIL() << "no place of " << kind.name().str() << " makes a difference";
}

INSTANTIATE_TEST_SUITE_P(Mutants, EachMutant,
                         testing::Range<std::size_t>(0, sartor::compiler::mutant_kinds().size()),
                         [](const auto &each) {
                           return sartor::compiler::mutant_kinds()[each.param].name().str();
                         });

TEST(MutantsTest, LeaveVariantsRightThatAreNotAskedFor) {
  for (const Native &native : kNatives)
    for (const Tier tier : {Tier::quick, Tier::full})
      EXPECT_FALSE(differs(variant_of(native, tier), native.function)) << native.name;
}

TEST(MutantsTest, ApplyToTheQuickTier) {
  setenv("SARTOR_MUTANT", "constant_off", 1);
  EXPECT_TRUE(differs(variant_of(kNatives[0], Tier::quick), numbers));
  unsetenv("SARTOR_MUTANT");
}

TEST(MutantsTest, RefuseUnknownKinds) {
  for (const char *wanted : {"nothing", "constant_off:", "constant_off:x", "constant_off:-1", ""}) {
    setenv("SARTOR_MUTANT", wanted, 1);
    const auto mutant = sartor::compiler::mutant_in_environment();
    if (std::string(wanted) == "constant_off:")
      EXPECT_TRUE(mutant.has_value());
    else {
      ASSERT_FALSE(mutant.has_value()) << wanted;
      EXPECT_EQ(mutant.error().code, sartor::ErrorCode::bad_argument);
      EXPECT_NE(mutant.error().remedy.find("branch_inverted"), std::string::npos);
    }
  }
  unsetenv("SARTOR_MUTANT");
}

} // namespace
