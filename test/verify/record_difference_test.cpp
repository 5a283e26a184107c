// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences that mutants make in a program are written to directories that `sartor replay` reads.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <unistd.h>

#include <sartor/runtime.hpp>

#include "../without_sanitizers.h"
#include "cli/command.h"
#include "paths.h"
#include "verified_handlers.h"

namespace {

namespace fs = std::filesystem;
using sartor::Options;
using sartor::Runtime;
using sartor::test::Ran;
using testing::ContainsRegex;
using testing::HasSubstr;

const sartor::Configuration kSettings{{"scale", 3}, {"steps", 2}, {"pace", 2}, {"by", 7}};
constexpr std::size_t kMostDifferences = 64;

/// Waits until a condition holds; the test's time limit ends it.
void wait_until(const std::function<bool()> &holds) {
  while (!holds())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class RecordDifferenceTest : public testing::Test {
protected:
  RecordDifferenceTest() {
    setenv("SARTOR_COMPILER_LIBRARY", paths::mutants_library().c_str(), 1);
    std::string name = testing::TempDir() + "/state.XXXXXX";
    state_ = mkdtemp(name.data());
  }
  ~RecordDifferenceTest() override {
    unsetenv("SARTOR_MUTANT");
    fs::remove_all(state_);
  }
  void SetUp() override {
    SARTOR_NEEDS_NO_SANITIZER(
        "a sanitizer's memory cannot be protected, and memory is not recorded");
  }

  /// Makes variants with a mutant, and calls until a difference has been found and reported.
  /// `first`: is called until calls are compared.
  void find(const char *mutant, const std::function<void(Runtime &)> &first,
            const std::function<void(Runtime &)> &call) {
    // Each test says what is compared.
    for (const char *name : {"SARTOR_VERIFY", "SARTOR_STATE_DIR", "SARTOR_ABORT_ON_DIFFERENCE"})
      unsetenv(name);
    setenv("SARTOR_MUTANT", mutant, 1);
    Options options;
    options.verify = {.every = 1};
    options.state_directory = state_;
    options.event_log = state_ / "events";
    options.quick_tier = false;
    Runtime runtime(options);
    runtime.specialize(kSettings);
    wait_until([&] {
      first(runtime);
      return runtime.statistics().verified > 0;
    });
    wait_until([&] {
      call(runtime);
      return events().find("\"event\":\"difference\"") != std::string::npos;
    });
    unsetenv("SARTOR_MUTANT");
  }
  void find(const char *mutant, const std::function<void(Runtime &)> &call) {
    find(mutant, call, call);
  }

  [[nodiscard]] std::string events() const {
    std::ifstream file(state_ / "events");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] fs::path folder() const { return state_ / "differences"; }
  /// The directory that the event names.
  [[nodiscard]] fs::path directory() const {
    const std::string all = events();
    const std::string name = "\"directory\":\"";
    const std::size_t begin = all.find(name);
    EXPECT_NE(begin, std::string::npos) << all;
    if (begin == std::string::npos)
      return {};
    return all.substr(begin + name.size(),
                      all.find('"', begin + name.size()) - begin - name.size());
  }

  /// Replays the difference, and searches the mutant.
  void expect_that_it_can_be_replayed(const std::string &handler, const std::string &mutant) {
    const fs::path path = directory();
    EXPECT_EQ(path.parent_path(), folder());
    EXPECT_THAT(path.filename().string(), testing::StartsWith(handler + "-"));
    for (const fs::path &each : {folder(), path})
      EXPECT_EQ(fs::status(each).permissions(), fs::perms::owner_all) << each;
    for (const char *file : {"difference.json", "memory", "request"})
      EXPECT_EQ(fs::status(path / file).permissions(),
                fs::perms::owner_read | fs::perms::owner_write)
          << file;
    const Ran ran = sartor::test::sartor("replay --bisect '" + path.string() + "'");
    EXPECT_EQ(ran.status, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("the same difference as recorded")) << ran.err;
    EXPECT_THAT(ran.out, ContainsRegex("from pass [0-9]+ of [0-9]+ on: mutant " + mutant))
        << ran.err;
  }

  fs::path state_;
};

const std::vector<int> kTable{5,  -3, 120, 77, 8,  101, 250, -90, 33,
                              12, 99, 140, -1, -2, 7,   64,  5,   3};

void weigh_nothing(Runtime &runtime) { runtime.handler<&weigh>()(kTable.data(), 0, 3); }
void weigh_all(Runtime &runtime) {
  runtime.handler<&weigh>()(kTable.data(), static_cast<int>(kTable.size()), 3);
}
void blend_n(Runtime &runtime, int n) {
  static const std::vector<double> from(32, 3.5);
  std::vector<double> to(from.size(), 0.25);
  runtime.handler<&blend>()(from.data(), to.data(), n, 2);
}

TEST_F(RecordDifferenceTest, OfAResult) {
  find("sign_lost", weigh_nothing, weigh_all);
  EXPECT_THAT(events(), HasSubstr("the result is 0x"));
  expect_that_it_can_be_replayed("weigh", "sign_lost");
}

TEST_F(RecordDifferenceTest, OfAResultInAChildProcess) {
  find("sign_lost", weigh_all);
  EXPECT_THAT(events(), HasSubstr("the variant returns another result"));
  expect_that_it_can_be_replayed("weigh", "sign_lost");
}

TEST_F(RecordDifferenceTest, OfWrittenMemory) {
  find(
      "store_dropped", [](Runtime &runtime) { blend_n(runtime, 0); },
      [](Runtime &runtime) { blend_n(runtime, 32); });
  expect_that_it_can_be_replayed("blend", "store_dropped");
}

TEST_F(RecordDifferenceTest, OfAVariable) {
  find("store_dropped", [](Runtime &runtime) { runtime.handler<&advance>()(40, 2); });
  expect_that_it_can_be_replayed("advance", "store_dropped");
}

TEST_F(RecordDifferenceTest, IsNotWrittenIfItHasTooMuchMemory) {
  std::vector<int> table(8U << 20U);
  for (std::size_t i = 0; i < table.size(); ++i)
    table[i] = static_cast<int>(i % 90) - 45;
  find("sign_lost", weigh_nothing, [&](Runtime &runtime) {
    runtime.handler<&weigh>()(table.data(), static_cast<int>(table.size()), 3);
  });
  EXPECT_THAT(events(), HasSubstr("\"event\":\"difference_not_recorded\""));
  EXPECT_THAT(events(), HasSubstr("bytes of memory"));
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(RecordDifferenceTest, IsNotWrittenIfThereAreManyAlready) {
  for (std::size_t i = 0; i < kMostDifferences; ++i)
    fs::create_directories(folder() / ("earlier-" + std::to_string(i)));
  find("sign_lost", weigh_all);
  EXPECT_THAT(events(), HasSubstr("\"event\":\"difference_not_recorded\""));
  EXPECT_THAT(events(), HasSubstr("has 64 differences already"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()),
            kMostDifferences);
}

} // namespace
