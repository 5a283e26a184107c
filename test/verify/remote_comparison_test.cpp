// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls are compared with the native code where no compiler is in the process: the checking code
// comes from another process, from a server, or from a cache.
#include <array>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/runtime.hpp>

#include "../sartor_command.h"
#include "../server/server_process.h"
#include "../store.h"
#include "paths.h"
#include "verified_handlers.h"

namespace {

using sartor::CompilerLocation;
using sartor::Options;
using sartor::Runtime;
using sartor::Verification;

// Each test says what is compared.
const int kUnset = unsetenv("SARTOR_VERIFY") + unsetenv("SARTOR_STATE_DIR") +
                   unsetenv("SARTOR_ABORT_ON_DIFFERENCE");

constexpr std::array kTable{1, -3, 7, 20};
constexpr int kCount = static_cast<int>(kTable.size());
const sartor::Configuration kSettings{{"scale", 3}};

class Elsewhere : public testing::Test {
protected:
  Elsewhere() {
    std::string name = testing::TempDir() + "/elsewhere.XXXXXX";
    directory_ = mkdtemp(name.data());
    setenv("XDG_RUNTIME_DIR", directory_.c_str(), 1);
  }
  ~Elsewhere() override {
    for (const char *name :
         {"SARTOR_MUTANT", "SARTOR_COMPILER_PROGRAM", "SARTOR_COMPILER_LIBRARY", "XDG_RUNTIME_DIR"})
      unsetenv(name);
    std::filesystem::remove_all(directory_);
  }

  [[nodiscard]] Options options(CompilerLocation compiler) const {
    Options options;
    options.compiler = compiler;
    options.verify = {.every = 1};
    options.state_directory = directory_ / "state";
    options.quick_tier = false;
    return options;
  }

  /// Sets a mutant that changes the result.
  void set_mutant() const;

  std::filesystem::path directory_;
};

long call(Runtime &runtime) { return runtime.handler<&weigh>()(kTable.data(), kCount, 3); }
long right() { return weigh(kTable.data(), kCount, 3); }

/// How often something is tried for which a store or a server must answer in time.
constexpr int kTries = 5;

/// Calls the handler until a condition holds, for two minutes at most.
bool call_until(Runtime &runtime, const std::function<bool()> &holds) {
  for (int i = 0; i < 12'000 && !holds(); ++i) {
    (void)call(runtime);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return holds();
}

/// Runs `body` in a child, where nothing is loaded yet. Returns true if it returns true.
bool in_child(const std::function<bool()> &body) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      _exit(body() ? 0 : 1);
    } catch (const std::exception &error) {
      std::printf("%s\n", error.what());
      std::fflush(stdout);
      _exit(1);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool has_llvm() {
  std::ifstream maps("/proc/self/maps");
  return std::string(std::istreambuf_iterator<char>(maps), {}).contains("libLLVM");
}

void Elsewhere::set_mutant() const {
  Options unverified = options(CompilerLocation::in_process);
  unverified.verify = Verification::off();
  const auto is_wrong = [&] {
    setenv("SARTOR_COMPILER_LIBRARY", paths::mutants_library().c_str(), 1);
    Runtime runtime(unverified);
    runtime.specialize(kSettings);
    return call(runtime) != right();
  };
  for (const char *mutant :
       {"constant_off:0", "constant_off:1", "loop_short:0", "constant_off:2"}) {
    setenv("SARTOR_MUTANT", mutant, 1);
    if (in_child(is_wrong))
      return;
  }
  FAIL() << "no mutant changes the result";
}

/// A wrong variant costs no result once its calls are compared, and is quarantined.
void expect_found(const Options &options) {
  {
    Options unverified = options;
    unverified.verify = Verification::off();
    Runtime runtime(unverified);
    runtime.specialize(kSettings);
    ASSERT_NE(call(runtime), right()) << "the mutant changes nothing here";
  }
  Runtime runtime(options);
  runtime.specialize(kSettings);
  ASSERT_TRUE(call_until(runtime, [&] { return runtime.statistics().differences > 0; }));
  EXPECT_EQ(call(runtime), right());
  try {
    runtime.specialize(kSettings);
    FAIL() << "the variant is activated again";
  } catch (const sartor::Error &error) {
    EXPECT_EQ(error.code(), sartor::ErrorCode::quarantined);
  }
  EXPECT_FALSE(has_llvm());
}

TEST_F(Elsewhere, AnOutOfProcessCompilerMakesTheCheckingCode) {
  set_mutant();
  setenv("SARTOR_COMPILER_PROGRAM", paths::mutants_program().c_str(), 1);
  expect_found(options(CompilerLocation::out_of_process));
}

TEST_F(Elsewhere, AServerMakesTheCheckingCode) {
  set_mutant();
  const ServerProcess server({"--compiler", paths::mutants_program()});
  Options by_server = options(CompilerLocation::server);
  by_server.compiler_server = {server.local(), {}, {}};
  expect_found(by_server);
}

bool is_compared(const Options &options) {
  Runtime runtime(options);
  runtime.specialize(kSettings);
  return call_until(runtime, [&] { return runtime.statistics().verified > 0; }) &&
         runtime.statistics().differences == 0;
}

bool is_compared_without_compiler(const Options &options) {
  return is_compared(options) && !has_llvm();
}

TEST_F(Elsewhere, ADiskCacheHasTheCheckingCode) {
  Options first = options(CompilerLocation::in_process);
  first.cache_directory = directory_ / "cache";
  Options then = first;
  then.compiler = CompilerLocation::none;
  EXPECT_TRUE(in_child([&] { return is_compared(first); }));
  EXPECT_TRUE(in_child([&] { return is_compared_without_compiler(then); }));
}

TEST_F(Elsewhere, ARedisHasTheCheckingCode) {
  const sartor::testing_aids::Store store;
  Options opened = options(CompilerLocation::in_process);
  opened.cache_directory = directory_ / "cache"; // has the description of the handlers only
  Options first = options(CompilerLocation::in_process);
  first.shared_cache = store.address();
  first.shared_cache_key = store.key();
  Options then = first;
  then.compiler = CompilerLocation::none;
  then.cache_directory = opened.cache_directory;
  Options forged = then;
  forged.shared_cache_key = store.key('x');
  forged.cache_directory = directory_ / "other_cache";
  EXPECT_TRUE(in_child([&] { return Runtime(opened).space().points().size() > 0; }));
  std::filesystem::copy(opened.cache_directory, forged.cache_directory);
  // A process goes on without a store that does not answer in time.
  bool is_found = false;
  for (int i = 0; i < kTries && !is_found; ++i) {
    EXPECT_TRUE(in_child([&] { return is_compared(first); }));
    is_found = in_child([&] { return is_compared_without_compiler(then); });
  }
  EXPECT_TRUE(is_found);
  EXPECT_FALSE(in_child([&] { return is_compared(forged); })) << "it was not signed with its key";
}

TEST_F(Elsewhere, ItIsSaidThatNoCacheHasTheCheckingCode) {
  Options first = options(CompilerLocation::in_process);
  first.cache_directory = directory_ / "cache";
  Options then = first;
  first.verify = Verification::off();
  then.control = true;
  EXPECT_TRUE(in_child([&] {
    Runtime(first).specialize(kSettings);
    return true;
  }));
  EXPECT_TRUE(in_child([&] {
    Runtime runtime(then);
    runtime.specialize(kSettings);
    std::string said;
    const bool is_said = call_until(runtime, [&] {
      said = command("variants " + std::to_string(getpid()));
      return said.contains("weigh is compared not at all, because") &&
             said.contains("is in no cache");
    });
    if (!is_said)
      std::printf("%s\n", said.c_str());
    return is_said && !has_llvm();
  }));
  // The handler is compared as soon as something is compiled for it.
  then = first;
  then.verify = {.every = 1};
  EXPECT_TRUE(in_child([&] {
    Runtime runtime(then);
    runtime.specialize(kSettings);
    runtime.specialize({{"scale", 5}});
    return call_until(runtime, [&] { return runtime.statistics().verified > 0; });
  }));
}

sartor::ErrorCode code_of_specializing(const Options &options) {
  try {
    Runtime runtime(options);
    runtime.specialize(kSettings);
  } catch (const sartor::Error &error) {
    return error.code();
  }
  return {};
}

sartor::ErrorCode code_in_child(const Options &options) {
  for (const auto code : {sartor::ErrorCode(), sartor::ErrorCode::quarantined})
    if (in_child([&] { return code_of_specializing(options) == code; }))
      return code;
  return sartor::ErrorCode::bad_argument;
}

/// The code within a minute; the reporting process works meanwhile.
bool comes(sartor::ErrorCode code, const Options &options) {
  for (int i = 0; i < 600; ++i) {
    if (code_of_specializing(options) == code)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

bool finds_difference(const Options &options) {
  Runtime runtime(options);
  runtime.specialize(kSettings);
  return call_until(runtime, [&] { return runtime.statistics().differences > 0; });
}

TEST_F(Elsewhere, ReplicasSeeEachOthersQuarantineInRedis) {
  const sartor::testing_aids::Store store;
  Options first = options(CompilerLocation::in_process);
  first.shared_cache = store.address();
  first.shared_cache_key = store.key();
  first.share_quarantine = true;
  Options other = first; // another machine
  other.state_directory = directory_ / "other";
  other.shared_cache_read_only = true; // right code that it stores would be found
  Options unshared = other;
  unshared.share_quarantine = false;
  Options forger = first;
  forger.shared_cache_key = store.key('x');
  set_mutant();
  // A process shares nothing with a store that does not answer in time.
  bool is_shared = false;
  for (int i = 0; i < kTries && !is_shared; ++i) {
    (void)store.redis("flushall");
    for (const Options &each : {first, other})
      std::filesystem::remove_all(each.state_directory);
    setenv("SARTOR_COMPILER_LIBRARY", paths::mutants_library().c_str(), 1);
    EXPECT_TRUE(in_child([&] { return finds_difference(forger); }));
    std::filesystem::remove_all(first.state_directory);
    unsetenv("SARTOR_COMPILER_LIBRARY");
    EXPECT_TRUE(in_child([&] { return code_of_specializing(other) == sartor::ErrorCode(); }))
        << "an entry with another key counts";
    setenv("SARTOR_COMPILER_LIBRARY", paths::mutants_library().c_str(), 1);
    EXPECT_TRUE(in_child([&] { return finds_difference(first); }));
    unsetenv("SARTOR_COMPILER_LIBRARY");
    is_shared = in_child([&] { return comes(sartor::ErrorCode::quarantined, other); });
  }
  EXPECT_TRUE(is_shared);
  EXPECT_TRUE(in_child([&] { return code_of_specializing(unshared) == sartor::ErrorCode(); }));

  // An operator with the key allows it again, except on the machine that has found the difference.
  const auto quarantine = [&](const std::string &words, char key) {
    std::string said;
    for (int i = 0; i < kTries; ++i) {
      said = command("quarantine " + words + " --redis " + store.address() + " --key-file " +
                     store.key(key).string());
      if (!said.contains("store_unreachable"))
        break;
    }
    return said;
  };
  EXPECT_EQ(quarantine("clear", 'y'),
            "entries are left out, of which one is not signed with our key\n"
            "0 requests are allowed again\n");
  EXPECT_TRUE(in_child([&] { return comes(sartor::ErrorCode::quarantined, other); }));
  EXPECT_EQ(quarantine("clear", 'k'), "1 request is allowed again\n");
  EXPECT_EQ(code_in_child(other), sartor::ErrorCode());
  EXPECT_EQ(code_in_child(first), sartor::ErrorCode::quarantined);
}

TEST_F(Elsewhere, AServerWithholdsWhatItsClientHasQuarantined) {
  set_mutant();
  const ServerProcess server({"--compiler", paths::mutants_program(), "--quarantine-after", "1"});
  Options first = options(CompilerLocation::server);
  first.compiler_server = {server.local(), {}, {}};
  first.share_quarantine = true;
  Options other = first; // another machine
  other.state_directory = directory_ / "other";
  other.verify = Verification::off();
  EXPECT_TRUE(in_child([&] { return finds_difference(first); }));
  EXPECT_TRUE(in_child([&] { return comes(sartor::ErrorCode::quarantined, other); }));
  EXPECT_TRUE(in_child([&] { // another configuration is compiled
    Runtime runtime(other);
    runtime.specialize({{"scale", 5}});
    return true;
  }));
}

} // namespace
