// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compiles that exceed a limit: run with the name of a case.

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <sartor/sartor.hpp>

#include "../engine/check.h"
#include "../server/by_server.h"
#include "../server/directory.h"
#include "../server/server_process.h"
#include "handlers.h"
#include "limits_handlers.h"
#include "paths.h"
#include "tries.h"

using namespace std::chrono_literals;
using sartor::CompilerLocation;
using sartor::Configuration;
using sartor::ErrorCode;

namespace {

constexpr const char *kNotAgain = "is not compiled: an earlier compile of it";
/// How often a compiler may end within a minute for other reasons than limits.
constexpr long kMostEnds = 5;

/// The error of a request.
struct Outcome {
  ErrorCode code{};
  std::string text = {};
};

Outcome outcome_of(const std::function<void()> &work) {
  try {
    work();
  } catch (const sartor::Error &error) {
    std::printf("%s\n", error.what());
    return {error.code(), error.what()};
  }
  return {};
}

Outcome outcome_of(sartor::Runtime &runtime, const Configuration &wanted) {
  return outcome_of([&] { runtime.specialize(wanted); });
}

/// The error of the first request that is refused because an earlier one has failed. That need not
/// be the second: each request compiles several handlers, of which one error is returned, and no
/// failure is recorded if a new compiler process took most of the time.
Outcome refusal_of(sartor::Runtime &runtime, const Configuration &wanted) {
  Outcome last;
  for (int i = 0; i < 20 && !last.text.contains(kNotAgain); ++i)
    last = outcome_of(runtime, wanted);
  CHECK(last.text.contains(kNotAgain));
  return last;
}

/// For a small handler on a busy machine.
constexpr std::chrono::seconds kLongEnough = 12s;

sartor::Options out_of_process() { return {.compiler = CompilerLocation::out_of_process}; }

/// Requests variants without an end, each of which must be made, while `work` runs.
void meanwhile(sartor::Runtime &runtime, const std::function<void()> &work) {
  std::atomic<bool> goes_on = true;
  std::thread other([&] {
    work();
    goes_on = false;
  });
  const auto call = runtime.handler<&sum_of_steps>();
  long n = 100;
  while (goes_on) {
    ++n;
    runtime.specialize({{"n", n}});
    CHECK(call(n, 1) == n * (n - 1) / 2);
    Rules rules{3, {n, n + 10, n + 20, 0}};
    sartor::Invariant invariant(&rules, sizeof rules);
    auto bound = runtime.bind<&first_rule>(&rules, sartor::_);
    bound.wait();
    CHECK(bound(n + 1) == 1);
  }
  std::printf("%ld variants meanwhile\n", n - 100);
  other.join();
}

/// A request with a variant active, whose compile must fail, and then not be tried again.
void expect_failure(sartor::Runtime &runtime, const std::string &passes, ErrorCode code) {
  const auto call = runtime.handler<&sum_of_steps>();
  const Configuration active{{"n", 3}};
  runtime.customize_pipeline({"default<O1>", {}});
  runtime.specialize(active);
  runtime.customize_pipeline({passes, {paths::passes()}});
  const Outcome first = outcome_of(runtime, {{"n", 5}});
  CHECK(first.code == code && !first.text.contains(kNotAgain));
  CHECK(refusal_of(runtime, {{"n", 5}}).code == code);
  CHECK(runtime.configuration() == active);
  CHECK(call(5, 1) == 10 && call(3, 1) == 3);
  runtime.customize_pipeline({});
  runtime.specialize({{"n", 6}});
  CHECK(call(6, 1) == 15);
}

void time_in_process() {
  setenv("SARTOR_TEST_SLOW", "14000", 1);
  sartor::Runtime runtime({.compile_timeout = kLongEnough});
  expect_failure(runtime, "test-slow,no-op-module", ErrorCode::compile_timeout);
}

// The thread is abandoned.
void hangs_in_process() {
  sartor::Runtime runtime({.compile_timeout = kLongEnough});
  runtime.customize_pipeline({"test-hanging", {paths::passes()}});
  CHECK(outcome_of(runtime, {{"n", 5}}).text.contains("has not come back in time"));
  const Outcome other = refusal_of(runtime, {{"n", 7}});
  CHECK(other.code == ErrorCode::compile_timeout);
  CHECK(other.text.contains("an earlier compile of its handler took too long"));
  runtime.customize_pipeline({"default<O1>", {}});
  runtime.specialize({{"n", 6}});
  CHECK(runtime.handler<&sum_of_steps>()(6, 1) == 15);
}

// The process is killed, which costs other requests no more than time, however often.
void hangs_out_of_process() {
  sartor::Options options = out_of_process();
  options.compile_timeout = 200s;
  sartor::Runtime other(options);
  other.specialize({{"n", 3}});
  options.compile_timeout = 500ms;
  sartor::Runtime runtime(options);
  std::string passes = "test-hanging";
  meanwhile(other, [&] {
    for (long i = 0; i <= kMostEnds; ++i) {
      passes += ",no-op-module"; // so that all are different requests
      runtime.customize_pipeline({passes, {paths::passes()}});
      const Outcome outcome = outcome_of(runtime, {{"n", 5}});
      CHECK(outcome.code == ErrorCode::compile_timeout && !outcome.text.contains(kNotAgain));
    }
  });
  refusal_of(runtime, {{"n", 5}});
  CHECK(runtime.handler<&sum_of_steps>()(5, 1) == 10);
}

#ifndef SARTOR_SANITIZED // whose compilers have no limit
/// Enough for small variants, too little for one with this many rounds.
constexpr std::size_t kLittle = std::size_t{8} << 20;
constexpr long kTooMany = 200;

/// With the limit for memory above.
sartor::Options limited(sartor::Options options) {
  options.compile_memory_bytes = kLittle;
  return options;
}

void expect_same_results(sartor::Runtime &runtime, long rounds) {
  const auto call = runtime.handler<&scrambled>();
  for (const unsigned long x : {0UL, 1UL, 7UL, 0x123456789abcdefUL, ~0UL})
    for (const long n : {0L, 1L, rounds, rounds + 1})
      CHECK(call(x, n) == scrambled(x, n));
}

/// The active variant stays active, a small variant is made, and the large one is not tried again.
void expect_memory_limit(sartor::Runtime &runtime) {
  const Configuration active{{"rounds", 3}};
  runtime.specialize(active);
  expect_same_results(runtime, 3);
  const Outcome first = outcome_of(runtime, {{"rounds", kTooMany}});
  CHECK(first.code == ErrorCode::compile_memory);
  CHECK(first.text.contains("took more than 8 MiB") &&
        first.text.contains("raise Options::compile_memory_bytes"));
  CHECK(runtime.configuration() == active);
  expect_same_results(runtime, 3);
  const Outcome second = outcome_of(runtime, {{"rounds", kTooMany}});
  CHECK(second.code == ErrorCode::compile_memory && second.text.contains(kNotAgain));
  runtime.specialize({{"rounds", 4}});
  CHECK(runtime.configuration() == (Configuration{{"rounds", 4}}));
  expect_same_results(runtime, 4);
}

void memory_out_of_process() {
  sartor::Runtime runtime(limited(out_of_process()));
  expect_memory_limit(runtime);
  // The same request with another limit.
  sartor::Runtime other(out_of_process());
  other.specialize({{"rounds", kTooMany}});
  expect_same_results(other, kTooMany);
}

// A compiler that ends takes other requests with it, which are compiled by the next one.
void memory_of_others_out_of_process() {
  const sartor::server::Directory directory;
  sartor::Options cached = out_of_process();
  cached.cache_directory = directory / "cache";
  for (const sartor::Options &options : {out_of_process(), cached}) {
    sartor::Runtime other(options);
    sartor::Runtime runtime(limited(out_of_process()));
    meanwhile(other, [&] {
      for (long i = 0; i <= kMostEnds; ++i) {
        const Outcome outcome = outcome_of(runtime, {{"rounds", kTooMany + i}});
        CHECK(outcome.code == ErrorCode::compile_memory && !outcome.text.contains(kNotAgain));
      }
    });
    runtime.specialize({{"rounds", 5}});
    expect_same_results(runtime, 5);
  }
}

/// In a child process: the error of a request for the large variant.
std::string text_in_child(const sartor::Options &options, const std::filesystem::path &output) {
  expect_good_end(in_child([&] {
    sartor::Runtime runtime(options);
    std::ofstream(output) << outcome_of(runtime, {{"rounds", kTooMany}}).text;
    expect_same_results(runtime, kTooMany);
  }));
  return content_of(output);
}

// A later process does not compile what has failed, but caches answer it.
void next_process() {
  const sartor::server::Directory directory;
  unsetenv("SARTOR_VERIFY");
  setenv("SARTOR_STATE_DIR", (directory / "state").c_str(), 1);
  const auto ask = [&](const sartor::Options &options) {
    return text_in_child(options, directory / "text");
  };
  CHECK(ask(limited(out_of_process())).contains("took more than 8 MiB"));
  CHECK(ask(limited(out_of_process())).contains(kNotAgain));
  sartor::Options cached = out_of_process();
  cached.cache_directory = directory / "cache";
  CHECK(ask(cached).empty());
  CHECK(ask(limited(cached)).empty());
}

void memory_on_a_server() {
  const ServerProcess server({"--workers", "2"});
  sartor::Runtime runtime(limited(by_tcp(server)));
  sartor::Runtime other(by_socket(server));
  expect_memory_limit(runtime);
  meanwhile(other, [&] {
    for (long i = 1; i <= kMostEnds; ++i)
      CHECK(outcome_of(runtime, {{"rounds", kTooMany + i}}).code == ErrorCode::compile_memory);
  });
  runtime.specialize({{"rounds", 5}});
  expect_same_results(runtime, 5);
  // The same request, whose limit is higher.
  other.specialize({{"rounds", kTooMany}});
  expect_same_results(other, kTooMany);
  CHECK(!server.log().contains("compiler_lost"));
}
#endif

// One client's compiler is killed when the server's time is over; another client's is not.
void time_of_a_server() {
  const ServerProcess server({"--workers", "2", "--compile-timeout", "30"});
  sartor::Options options = by_tcp(server);
  options.compile_memory_bytes = std::uint64_t{8} << 30U; // the time limit comes first
  options.compile_timeout = 200s;                         // the server's comes first
  sartor::Runtime runtime(options);
  sartor::Runtime other(by_socket(server));
  const Configuration active{{"rounds", 3}};
  runtime.specialize(active);
  std::string passes = "gvn";
  for (int i = 0; i < 15'000; ++i)
    passes += ",gvn";
  runtime.customize_pipeline({.passes = "default<O1>,function(" + passes + ")"});
  meanwhile(other, [&] {
    const Outcome outcome = outcome_of(runtime, {{"rounds", 1500}});
    CHECK(outcome.code == ErrorCode::compile_timeout);
    CHECK(outcome.text.contains("--compile-timeout"));
  });
  CHECK(runtime.configuration() == active);
  CHECK(runtime.handler<&scrambled>()(7, 3) == scrambled(7, 3));
  runtime.customize_pipeline({});
  runtime.specialize({{"rounds", 4}});
  CHECK(runtime.handler<&scrambled>()(7, 4) == scrambled(7, 4));
}

// The time may have been that of others, so the request is compiled again.
void time_on_a_server() {
  const ServerProcess server;
  sartor::Options options = by_socket(server);
  options.compile_timeout = kLongEnough;
  sartor::Runtime runtime(options);
  Outcome first{ErrorCode::compile_timeout};
  for (int i = 0; i < 5 && first.code == ErrorCode::compile_timeout; ++i)
    first = outcome_of(runtime, {{"n", 3}});
  CHECK(first.code == ErrorCode{});
  server.signal(SIGSTOP);
  CHECK(outcome_of(runtime, {{"n", 5}}).code == ErrorCode::compile_timeout);
  server.signal(SIGCONT);
  Outcome last{ErrorCode::compile_timeout};
  for (int i = 0; i < 2000 && last.code != ErrorCode{}; ++i) {
    std::this_thread::sleep_for(i > 0 ? 50ms : 0ms);
    last = outcome_of(runtime, {{"n", 5}});
    CHECK(!last.text.contains(kNotAgain));
  }
  CHECK(last.code == ErrorCode{});
}

} // namespace

int main(int, char **arguments) {
  const std::map<std::string, void (*)()> cases{
      {"time_of_a_server", time_of_a_server},
      {"time_on_a_server", time_on_a_server},
#ifndef SARTOR_SANITIZED
      {"memory_out_of_process", memory_out_of_process},
      {"next_process", next_process},
#endif
  };
  // A thread that measures time, or a process that reports why another one has ended, may stop for
  // longer than these cases can take account of.
  const std::map<std::string, void (*)()> with_tries{
      {"time_in_process", time_in_process},
      {"hangs_in_process", hangs_in_process},
      {"hangs_out_of_process", hangs_out_of_process},
#ifndef SARTOR_SANITIZED
      {"memory_of_others_out_of_process", memory_of_others_out_of_process},
      {"memory_on_a_server", memory_on_a_server},
#endif
  };
  std::setvbuf(stdout, nullptr, _IONBF, 0);
  if (const auto found = with_tries.find(arguments[1]); found != with_tries.end())
    expect_good_end_of_one(found->second);
  else
    cases.at(arguments[1])();
  std::puts("all is well");
}
