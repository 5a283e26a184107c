// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `sartor quarantine clear`: requests that were quarantined for different reasons are activated
// again. Processes are children of the test, in which nothing is loaded yet.
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/runtime.hpp>

#include "../sartor_command.h"
#include "../store.h"
#include "../without_sanitizers.h"
#include "paths.h"
#include "verified_handlers.h"

namespace {

using nlohmann::json;
using sartor::Configuration;
using sartor::ErrorCode;
using sartor::Options;
using sartor::Runtime;
using sartor::Verification;
using testing::HasSubstr;

const int kUnset = unsetenv("SARTOR_VERIFY") + unsetenv("SARTOR_STATE_DIR") +
                   unsetenv("SARTOR_ABORT_ON_DIFFERENCE");

constexpr std::array kTable{1, -3, 7, 20};
constexpr int kTries = 5;
// One of them will differ, one crash, and one take too long to compile.
const Configuration kDiffers{{"scale", 3}};
const Configuration kCrashes{{"rate", 2}};
const Configuration kTooSlow{{"pace", 2}};

long weighed(Runtime &runtime) {
  return runtime.handler<&weigh>()(kTable.data(), kTable.size(), 3);
}

/// The wait status of a child that exits with 0 if `body` returns true.
int status_in_child(const std::function<bool()> &body) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    try {
      _exit(body() ? 0 : 1);
    } catch (const std::exception &error) {
      std::printf("%s\n", error.what());
      std::fflush(stdout);
      _exit(1);
    }
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

class ClearedQuarantine : public testing::Test {
protected:
  ClearedQuarantine() {
    std::string name = testing::TempDir() + "/cleared.XXXXXX";
    directory_ = mkdtemp(name.data());
    setenv("SARTOR_STATE_DIR", directory_.c_str(), 1);
  }
  ~ClearedQuarantine() override {
    for (const char *name : {"SARTOR_STATE_DIR", "SARTOR_MUTANT", "SARTOR_COMPILER_LIBRARY",
                             "SARTOR_TEST_SLOW", "SARTOR_TEST_CRASH"})
      unsetenv(name);
    std::filesystem::remove_all(directory_);
  }

  static Options options() {
    Options options;
    options.verify = {.every = 1};
    options.quick_tier = false;
    return options;
  }
  /// By a mutant of the compiler.
  static bool quarantine_a_difference() {
    setenv("SARTOR_COMPILER_LIBRARY", paths::mutants_library().c_str(), 1);
    bool is_found = false;
    for (int place = 0; place < 16 && !is_found; ++place) {
      setenv("SARTOR_MUTANT", ("constant_off:" + std::to_string(place)).c_str(), 1);
      is_found = status_in_child([] { return is_wrong() && differs(); }) == 0;
    }
    unsetenv("SARTOR_MUTANT");
    unsetenv("SARTOR_COMPILER_LIBRARY");
    return is_found;
  }
  static bool is_wrong() {
    Options unverified = options();
    unverified.verify = Verification::off();
    Runtime runtime(unverified);
    runtime.specialize(kDiffers);
    return weighed(runtime) != weigh(kTable.data(), kTable.size(), 3);
  }
  static bool differs() {
    Runtime runtime(options());
    runtime.specialize(kDiffers);
    while (runtime.statistics().differences == 0) { // the test's time limit ends it
      (void)weighed(runtime);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }
  /// In a handler that is not compared, so that the process crashes.
  static bool quarantine_a_crash() {
    setenv("SARTOR_TEST_CRASH", "on", 1);
    const int status = status_in_child([] {
      Runtime runtime(options());
      request(runtime, kCrashes);
      (void)runtime.handler<&stamp>()(2);
      return true;
    });
    unsetenv("SARTOR_TEST_CRASH");
    return WIFSIGNALED(status);
  }
  /// Requests by passes that slow down, or crash, if the environment says so.
  static void request(Runtime &runtime, const Configuration &wanted) {
    if (wanted != kDiffers)
      runtime.customize_pipeline({"test-slow,function(test-crash),default<O1>", {paths::passes()}});
    runtime.specialize(wanted);
  }
  /// The error of a request; 0 if it is active.
  static ErrorCode code_of(const Configuration &wanted, const Options &options) {
    Runtime runtime(options);
    try {
      request(runtime, wanted);
      (void)weighed(runtime);
      (void)runtime.handler<&stamp>()(2);
      (void)runtime.handler<&advance>()(1, 2);
      return runtime.configuration() == wanted ? ErrorCode() : ErrorCode::bad_argument;
    } catch (const sartor::Error &error) {
      std::puts(error.what());
      std::fflush(stdout); // the process ends without it
      return error.code();
    }
  }
  static void expect(ErrorCode code, const Configuration &wanted,
                     const Options &options = ClearedQuarantine::options()) {
    EXPECT_EQ(status_in_child([&] { return code_of(wanted, options) == code; }), 0)
        << wanted.text();
  }
  /// The same of several processes, of which one must have that code: a process goes on without a
  /// store that does not answer in time.
  static bool comes(ErrorCode code, const Configuration &wanted) {
    for (int i = 0; i < kTries; ++i)
      if (status_in_child([&] { return code_of(wanted, options()) == code; }) == 0)
        return true;
    return false;
  }
  /// The output of a command that asks a store, which may not answer in time.
  static std::string command_of_store(const std::string &arguments) {
    std::string said;
    for (int i = 0; i < kTries; ++i)
      if (said = command(arguments); !said.contains("store_unreachable"))
        break;
    return said;
  }

  std::filesystem::path directory_;
};

TEST_F(ClearedQuarantine, AllowsWhatDifferedCrashedOrTookTooLong) {
  SARTOR_NEEDS_NO_SANITIZER("sanitizers see the faults of mutants");
  ASSERT_TRUE(quarantine_a_difference());
  ASSERT_TRUE(quarantine_a_crash());
  setenv("SARTOR_TEST_SLOW", "4000", 1);
  Options limited = options();
  limited.compile_timeout = std::chrono::seconds(3);
  expect(ErrorCode::compile_timeout, kTooSlow, limited);
  unsetenv("SARTOR_TEST_SLOW");

  std::string reasons;
  for (const json &entry : json::parse(command("quarantine list --json"))["entries"])
    reasons += entry["reason"].get<std::string>() + ' ';
  EXPECT_THAT(reasons, HasSubstr("different"));
  EXPECT_THAT(reasons, HasSubstr("crashed"));
  expect(ErrorCode::quarantined, kDiffers);
  expect(ErrorCode::quarantined, kCrashes);
  expect(ErrorCode::compile_timeout, kTooSlow, limited);

  EXPECT_EQ(command("quarantine clear"), "3 requests are allowed again\n");
  expect({}, kDiffers);
  expect({}, kCrashes);
  expect({}, kTooSlow);
  EXPECT_EQ(command("quarantine list"), "Nothing is quarantined.\n");
}

TEST_F(ClearedQuarantine, AllowsACrashThatNoProcessHasReadYet) {
  SARTOR_NEEDS_NO_SANITIZER("sanitizers see the faults of mutants");
  ASSERT_TRUE(quarantine_a_crash());
  EXPECT_EQ(command("quarantine clear"), "1 request is allowed again\n");
  expect({}, kCrashes);
}

// No call of the handlers that these processes use can be compared.
TEST_F(ClearedQuarantine, AllowsACrashThatIsShared) {
  SARTOR_NEEDS_NO_SANITIZER("the process crashes");
  const sartor::testing_aids::Store store;
  const std::map<std::string, std::string> shared{{"SARTOR_SHARED_CACHE", store.address()},
                                                  {"SARTOR_SHARED_CACHE_KEY", store.key()},
                                                  {"SARTOR_SHARE_QUARANTINE", "on"}};
  bool is_shared = false;
  for (int i = 0; i < kTries && !is_shared; ++i) {
    for (const auto &[name, value] : shared)
      unsetenv(name.c_str());
    (void)store.redis("flushall");
    setenv("SARTOR_STATE_DIR", (directory_ / ("own" + std::to_string(i))).c_str(), 1);
    ASSERT_TRUE(quarantine_a_crash()); // without the cache, which would have the code that crashes
    for (const auto &[name, value] : shared)
      setenv(name.c_str(), value.c_str(), 1);
    expect({}, {{"rate", 1}}); // the next process of this user shares the crash
    setenv("SARTOR_STATE_DIR", (directory_ / ("other" + std::to_string(i))).c_str(), 1);
    is_shared = comes(ErrorCode::quarantined, kCrashes);
  }
  ASSERT_TRUE(is_shared);
  EXPECT_EQ(command("quarantine clear"), "0 requests are allowed again\n");
  EXPECT_TRUE(comes(ErrorCode::quarantined, kCrashes));
  EXPECT_EQ(command_of_store("quarantine clear --redis " + store.address()),
            "1 request is allowed again\n");
  expect({}, kCrashes);
  for (const auto &[name, value] : shared)
    unsetenv(name.c_str());
}

} // namespace
