// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of variants are compared with the native code; mutants are found and cost no result.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/invariant.hpp>
#include <sartor/metrics.hpp>
#include <sartor/runtime.hpp>

#include "../mutants/kinds.h"
#include "../without_sanitizers.h"
#include "paths.h"
#include "verified_handlers.h"

namespace {

using sartor::Options;
using sartor::Runtime;
using sartor::Verification;

// Each test says what is compared.
const int kUnset = unsetenv("SARTOR_VERIFY") + unsetenv("SARTOR_STATE_DIR") +
                   unsetenv("SARTOR_ABORT_ON_DIFFERENCE");

const sartor::Configuration kSettings{{"scale", 3}, {"steps", 2}, {"pace", 2}, {"by", 7}};

/// A directory for the state of one test.
class StateDirectory {
public:
  StateDirectory() {
    std::string name = testing::TempDir() + "/state.XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~StateDirectory() { std::filesystem::remove_all(path_); }
  StateDirectory(const StateDirectory &) = delete;
  StateDirectory &operator=(const StateDirectory &) = delete;
  [[nodiscard]] const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
};

/// Runs all handlers on random input, through a runtime and as native code. Returns false if any
/// result or memory differs.
bool all_results_are_right(Runtime &runtime, int calls, unsigned seed) {
  auto weigher = runtime.handler<&weigh>();
  auto blender = runtime.handler<&blend>();
  auto tagger = runtime.handler<&tag>();
  auto advancer = runtime.handler<&advance>();
  std::minstd_rand random(seed);
  bool are_right = true;
  for (int call = 0; call < calls; ++call) {
    std::vector<int> table(random() % 9);
    for (int &value : table)
      value = static_cast<int>(random() % 400) - 100;
    const int n = static_cast<int>(table.size());
    are_right &= weigher(table.data(), n, 3) == weigh(table.data(), n, 3);
    const std::vector<double> from(table.begin(), table.end());
    std::vector<double> to(from.size(), call);
    std::vector<double> expected = to;
    blender(from.data(), to.data(), n, 2);
    blend(from.data(), expected.data(), n, 2);
    are_right &= to == expected;
    std::array<unsigned char, 16> tags{};
    std::array<four, 16> out{};
    auto expected_tags = tags;
    auto expected_out = out;
    tagger(tags.data(), out.data(), n, 7);
    tag(expected_tags.data(), expected_out.data(), n, 7);
    using Lanes = std::array<int, sizeof out / sizeof(int)>;
    are_right &=
        tags == expected_tags && std::bit_cast<Lanes>(out) == std::bit_cast<Lanes>(expected_out);
    const auto before = std::to_array(position);
    const int by = static_cast<int>(random() % 90);
    const int result = advancer(by, 2);
    const auto after = std::to_array(position);
    std::ranges::copy(before, position);
    are_right &= advance(by, 2) == result && std::to_array(position) == after;
  }
  return are_right;
}

/// Waits until a condition holds; the test's time limit ends it.
void wait_until(const std::function<bool()> &holds) {
  while (!holds())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// True if the code that compares the calls of this handler is in place.
bool is_comparable(const std::string &handler) {
  std::istringstream lines(sartor::metrics());
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("sartor_handler_comparison") &&
        line.contains("handler=\"" + handler + '"'))
      return !line.contains("\"undecided\"");
  return false;
}

/// True if that of all handlers which kSettings concern is in place.
bool are_comparable() {
  return std::ranges::all_of(std::array{"weigh", "blend", "tag", "advance"}, is_comparable);
}

/// Exits of child processes.
enum Exit { kRight = 0, kWrong = 1, kNotFound = 2 };

int in_child(unsigned seconds_at_most, const std::function<int()> &body) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit seconds{seconds_at_most, seconds_at_most};
    setrlimit(RLIMIT_CPU, &seconds);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Options options_with(const Verification &verify, const StateDirectory &state) {
  Options options;
  options.verify = verify;
  options.state_directory = state.path();
  options.quick_tier = false;
  return options;
}

TEST(Verified, ComparesEachKindOfHandlerWithoutFindingADifference) {
  const StateDirectory state;
  Runtime runtime(options_with({.every = 1}, state));
  runtime.specialize(kSettings);
  wait_until([&] {
    EXPECT_TRUE(all_results_are_right(runtime, 20, 1));
    return runtime.statistics().verified > 0 && are_comparable();
  });
  EXPECT_TRUE(all_results_are_right(runtime, 300, 2));
  EXPECT_EQ(runtime.statistics().differences, 0U);
  EXPECT_GT(runtime.statistics().verified, 600U);
}

// The thread sanitizer sees the comparisons of these handlers, which need no child process.
TEST(Verified, ComparesCallsOfManyThreadsWhileVariantsAreReplaced) {
  const StateDirectory state;
  Runtime runtime(options_with({.every = 1}, state));
  runtime.specialize(kSettings);
  std::atomic<bool> stop = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&, caller] {
      auto weigher = runtime.handler<&weigh>();
      auto blender = runtime.handler<&blend>();
      const std::array<int, 5> table{caller, -7, 90, 4, 11};
      const std::array<double, 5> from{1, 2, 3, static_cast<double>(caller), 5};
      while (!stop) {
        wrong += weigher(table.data(), 5, 3) != weigh(table.data(), 5, 3);
        std::array<double, 5> to{};
        std::array<double, 5> expected{};
        blender(from.data(), to.data(), 5, 2);
        blend(from.data(), expected.data(), 5, 2);
        wrong += to != expected;
      }
    });
  for (int round = 0; round < 6; ++round) {
    const auto before = runtime.statistics().verified;
    runtime.specialize({{"scale", round % 2 == 0 ? 5 : 3}, {"steps", 2}, {"pace", 2}, {"by", 7}});
    wait_until([&] { return runtime.statistics().verified > before + 50; });
  }
  stop = true;
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(runtime.statistics().differences, 0U);
}

TEST(Verified, EndsAfterTheFirstCallsAndGoesOnWithinTheBudget) {
  const StateDirectory state;
  Runtime runtime(options_with({.first_calls = 10, .budget = 0.01}, state));
  runtime.specialize(kSettings);
  wait_until([&] {
    EXPECT_TRUE(all_results_are_right(runtime, 20, 1));
    return runtime.statistics().verified > 30;
  });
  EXPECT_EQ(runtime.statistics().differences, 0U);
}

TEST(Verified, GoesOnWithSeveralCallsAtATime) {
  const StateDirectory state;
  Runtime runtime(options_with({.first_calls = 0, .budget = 0.001}, state));
  auto weigher = runtime.handler<&weigh>();
  runtime.specialize(kSettings);
  const std::array table{1, -2, 300};
  std::uint64_t most = 0; // compared calls of 20 in a row
  while (most < 5) {      // the test's time limit ends it
    const std::uint64_t before = runtime.statistics().verified;
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(weigher(table.data(), 3, 3), weigh(table.data(), 3, 3));
    most = std::max(most, runtime.statistics().verified - before);
  }
}

/// The calls that are compared of 1,000 with a setting that no variant has, and then of 100 with
/// one that it has.
std::pair<std::uint64_t, std::uint64_t> compared_after_guards() {
  const StateDirectory state;
  Runtime runtime(options_with({.first_calls = 10, .budget = 0}, state));
  auto weigher = runtime.handler<&weigh>();
  runtime.specialize(kSettings);
  const std::array table{1, -2, 300};
  wait_until([&] {
    EXPECT_EQ(weigher(table.data(), 3, 5), weigh(table.data(), 3, 5));
    return runtime.statistics().verified > 0;
  });
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(weigher(table.data(), 3, 5), weigh(table.data(), 3, 5));
  const std::uint64_t left = runtime.statistics().verified;
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(weigher(table.data(), 3, 3), weigh(table.data(), 3, 3));
  return {left, runtime.statistics().verified - left};
}

TEST(Verified, DoesNotCountCallsThatLeaveByAGuard) {
  // The first calls end early if comparing them takes long, as on a busy machine.
  for (int i = 0; i < 20; ++i) {
    const auto [left, others] = compared_after_guards();
    EXPECT_LE(left, 110U);
    EXPECT_LE(left + others, 110U);
    if (left == 110)
      return;
  }
  FAIL() << "no more than the first calls were compared";
}

TEST(Verified, ComparesTheFirstCallsThatPassTheGuards) {
  for (int i = 0; i < 20; ++i) {
    const StateDirectory state;
    Runtime runtime(options_with({.first_calls = 10, .budget = 0}, state));
    auto weigher = runtime.handler<&weigh>();
    runtime.specialize(kSettings);
    const std::array table{1, -2, 300};
    wait_until([&] {
      weigher(table.data(), 3, 5);
      return runtime.statistics().verified > 0;
    });
    for (int call = 0; call < 50; ++call)
      weigher(table.data(), 3, 5);
    const std::uint64_t left = runtime.statistics().verified;
    for (int call = 0; call < 100; ++call)
      weigher(table.data(), 3, 3);
    if (runtime.statistics().verified - left == 10)
      return;
  }
  FAIL() << "calls that leave by a guard have used up the first calls";
}

TEST(Verification, IsOffIfItIsAskedTo) {
  const StateDirectory state;
  Runtime runtime(options_with(Verification::off(), state));
  runtime.specialize(kSettings);
  EXPECT_TRUE(all_results_are_right(runtime, 100, 1));
  EXPECT_EQ(runtime.statistics().verified, 0U);
}

/// Places of a mutant that tests try. At some, it makes no difference for the input of the test.
constexpr int kPlaces = 16;

class EachMutant : public testing::TestWithParam<const char *> {
protected:
  ~EachMutant() override { unsetenv("SARTOR_MUTANT"); }
};

TEST_P(EachMutant, CostsAVariantAndNoResult) {
  SARTOR_NEEDS_NO_SANITIZER(
      "sanitizers see faults of mutants, and calls in child processes are not compared");
  const std::string kind = GetParam();
  setenv("SARTOR_COMPILER_LIBRARY", paths::mutants_library().c_str(), 1);
  bool is_found = false;
  for (int place = 0; place < kPlaces; ++place) {
    setenv("SARTOR_MUTANT", (kind + ":" + std::to_string(place)).c_str(), 1);
    const StateDirectory state;
    const auto call_unverified = [&] {
      Runtime runtime(options_with(Verification::off(), state));
      runtime.specialize(kSettings);
      return all_results_are_right(runtime, 200, 3) ? kRight : kWrong;
    };
    int unverified = in_child(3, call_unverified);
    if (unverified == -1) // a mutant that crashes or hangs, or a machine that is slow
      unverified = in_child(15, call_unverified);
    if (unverified == kRight)
      continue; // no such place, or no difference for this input
    is_found = true;
    const int verified = in_child(100, [&] {
      Runtime runtime(options_with({.every = 1}, state));
      runtime.specialize(kSettings);
      wait_until(are_comparable);
      if (!all_results_are_right(runtime, 200, 3))
        return kWrong;
      wait_until([&] { return runtime.statistics().differences > 0; });
      try {
        runtime.specialize(kSettings);
      } catch (const sartor::Error &error) {
        return error.code() == sartor::ErrorCode::quarantined ? kRight : kNotFound;
      }
      return kNotFound;
    });
    EXPECT_EQ(verified, kRight) << kind << ':' << place;
    // Another process does not activate it.
    wait_until([&] { return !std::filesystem::is_empty(state.path()); });
    EXPECT_EQ(in_child(100,
                       [&] {
                         Runtime runtime(options_with({.every = 1}, state));
                         try {
                           runtime.specialize(kSettings);
                         } catch (const sartor::Error &error) {
                           return error.code() == sartor::ErrorCode::quarantined ? kRight
                                                                                 : kNotFound;
                         }
                         return kNotFound;
                       }),
              kRight)
        << kind << ':' << place;
    break;
  }
  if (!is_found)
    GTEST_SKIP() << kind << " makes no difference in these handlers";
}

/// Compared calls after which a variant counts as right.
constexpr std::uint64_t kComparedIfRight = 100;

/// Calls until a difference is found, or until enough calls were compared without one.
bool is_found_different(const Runtime &runtime, const std::function<void(int)> &call) {
  const std::uint64_t enough = runtime.statistics().verified + kComparedIfRight;
  for (int look = 0; look < 2000 && runtime.statistics().verified < enough; ++look) {
    if (runtime.statistics().differences != 0)
      return true;
    call(look);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return runtime.statistics().differences != 0;
}

/// How a handler whose first variant, for a table, is wrong may be bound to another table, and to a
/// copy of the first one.
int bind_after_a_difference(const StateDirectory &state) {
  const std::array wrong{1, -3, 7, 20};
  const std::array copy = wrong;
  const std::array other{2, 4, 8, 50};
  const sartor::Invariant is_wrong(wrong.data(), sizeof wrong), is_copy(copy.data(), sizeof copy),
      is_other(other.data(), sizeof other);
  Runtime runtime(options_with({.every = 1}, state));
  const auto bind = [&](const auto &table) {
    return runtime.bind<&weigh>(table.data(), sartor::_, 3);
  };
  const auto is_quarantined = [&](const auto &table) {
    try {
      bind(table).wait();
      return false;
    } catch (const sartor::Error &error) {
      return error.code() == sartor::ErrorCode::quarantined;
    }
  };
  const auto bound = bind(wrong);
  bound.wait();
  // A variant that has differed is not compared again.
  bool is_right = true;
  const bool is_found = is_found_different(runtime, [&](int) {
    is_right &= bound(4) == weigh(wrong.data(), 4, 3) || runtime.statistics().verified == 0;
  });
  if (!is_right)
    return kWrong;
  if (!is_found)
    return kNotFound;
  return is_quarantined(copy) && !is_quarantined(other) ? kRight : kWrong;
}

TEST(Quarantined, AreNotTheVariantsForOtherObjects) {
  SARTOR_NEEDS_NO_SANITIZER("sanitizers see faults of mutants");
  setenv("SARTOR_COMPILER_LIBRARY", paths::mutants_library().c_str(), 1);
  int found = kNotFound;
  for (int place = 0; place < kPlaces && found == kNotFound; ++place) {
    setenv("SARTOR_MUTANT", ("constant_off:" + std::to_string(place)).c_str(), 1);
    const StateDirectory state;
    found = in_child(100, [&] { return bind_after_a_difference(state); });
  }
  unsetenv("SARTOR_MUTANT");
  EXPECT_EQ(found, kRight);
}

/// Whether a wrong variant that two entries have is taken out of both.
int take_out_of_both(const StateDirectory &state) {
  Runtime runtime(options_with({.every = 1}, state));
  auto weigher = runtime.handler<&weigh>();
  runtime.specialize(kSettings);
  const auto alike = runtime.bind<&weigh>(sartor::_, sartor::_, sartor::_);
  alike.wait();
  wait_until([] { return is_comparable("weigh"); });
  const auto variants = runtime.statistics().variants;
  const std::array table{1, -3, 7, 20};
  if (!is_found_different(runtime, [&](int) { weigher(table.data(), 4, 3); }))
    return kNotFound; // perhaps it is right
  for (int look = 0; look < 5000; ++look) {
    if (runtime.statistics().variants < variants)
      return kRight;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return kWrong;
}

TEST(Verified, AWrongVariantIsTakenOutOfAllEntries) {
  SARTOR_NEEDS_NO_SANITIZER("sanitizers see faults of mutants");
  setenv("SARTOR_COMPILER_LIBRARY", paths::mutants_library().c_str(), 1);
  int found = kNotFound;
  for (int place = 0; place < kPlaces && found == kNotFound; ++place) {
    setenv("SARTOR_MUTANT", ("constant_off:" + std::to_string(place)).c_str(), 1);
    const StateDirectory state;
    found = in_child(100, [&] { return take_out_of_both(state); });
  }
  unsetenv("SARTOR_MUTANT");
  EXPECT_EQ(found, kRight);
}

/// Whether a child finds that the variant of weigh() is wrong which it has inherited.
int find_in_a_child(const StateDirectory &state) {
  Runtime runtime(options_with({.every = 1}, state));
  auto weigher = runtime.handler<&weigh>();
  runtime.specialize(kSettings);
  wait_until([] { return is_comparable("weigh"); });
  return in_child(100, [&] {
    const std::array table{1, -3, 7, 20};
    bool is_right = true;
    const bool is_found = is_found_different(runtime, [&](int) {
      is_right &= weigher(table.data(), 4, 3) == weigh(table.data(), 4, 3);
    });
    if (!is_right)
      return kWrong;
    return is_found ? kRight : kNotFound; // perhaps it is right
  });
}

TEST(Verified, AChildTakesAnInheritedVariantOutOfService) {
  SARTOR_NEEDS_NO_SANITIZER("sanitizers see faults of mutants");
  setenv("SARTOR_COMPILER_LIBRARY", paths::mutants_library().c_str(), 1);
  int found = kNotFound;
  for (int place = 0; place < kPlaces && found == kNotFound; ++place) {
    setenv("SARTOR_MUTANT", ("constant_off:" + std::to_string(place)).c_str(), 1);
    const StateDirectory state;
    found = in_child(100, [&] { return find_in_a_child(state); });
  }
  unsetenv("SARTOR_MUTANT");
  EXPECT_EQ(found, kRight);
}

/// Whether a mutant of the variant of advance() is found to be wrong.
int find_wrong_pace(const StateDirectory &state) {
  Runtime runtime(options_with({.every = 1}, state));
  auto advancer = runtime.handler<&advance>();
  runtime.specialize({{"pace", 2}});
  wait_until([] { return is_comparable("advance"); });
  return is_found_different(runtime, [&](int look) { advancer(look % 90, 2); }) ? kRight
                                                                                : kNotFound;
}

/// Requests the same settings where there is a template. kRight if they are quarantined and no
/// template was filled for them, kNotFound if they are not quarantined and one was filled.
int request_pace_with_a_template(const StateDirectory &state) {
  Options options = options_with({.every = 1}, state);
  options.quick_tier = true;
  options.event_log = state.path() / "log";
  Runtime runtime(options);
  runtime.specialize({{"pace", 1}});
  wait_until([&] {
    std::ifstream file(options.event_log);
    std::stringstream text;
    text << file.rdbuf();
    return text.str().contains("\"event\":\"template\"");
  });
  try {
    runtime.specialize({{"pace", 2}});
  } catch (const sartor::Error &error) {
    return error.code() == sartor::ErrorCode::quarantined && runtime.statistics().filled == 0
               ? kRight
               : kWrong;
  }
  return runtime.statistics().filled == 1 ? kNotFound : kWrong;
}

TEST(Quarantined, AreNotFilledIntoATemplate) {
  SARTOR_NEEDS_NO_SANITIZER("sanitizers see faults of mutants");
  setenv("SARTOR_COMPILER_LIBRARY", paths::mutants_library().c_str(), 1);
  const StateDirectory empty;
  EXPECT_EQ(in_child(100, [&] { return request_pace_with_a_template(empty); }), kNotFound);
  int found = kNotFound;
  for (int place = 0; place < kPlaces && found == kNotFound; ++place) {
    setenv("SARTOR_MUTANT", ("constant_off:" + std::to_string(place)).c_str(), 1);
    const StateDirectory state;
    found = in_child(100, [&] { return find_wrong_pace(state); });
    unsetenv("SARTOR_MUTANT");
    if (found == kRight)
      found = in_child(100, [&] { return request_pace_with_a_template(state); });
  }
  EXPECT_EQ(found, kRight);
}

INSTANTIATE_TEST_SUITE_P(Verification, EachMutant, testing::ValuesIn(kMutants),
                         [](const auto &each) { return std::string(each.param); });

} // namespace
