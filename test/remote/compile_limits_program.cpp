// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Compiles that exceed a limit or end their compiler: run with the name of a case.

#include <chrono>
#include <csignal>
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
#include "../server/server_process.h"
#include "handlers.h"

using namespace std::chrono_literals;
using sartor::ErrorCode;

namespace {

constexpr const char *kNotAgain = "is not compiled: an earlier compile of it";

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

sartor::Options out_of_process() { return {.compiler = sartor::CompilerLocation::out_of_process}; }

/// A request for a variant with a variant active, whose compile must not succeed the first time,
/// nor be tried the second.
void expect_failure(sartor::Runtime &runtime, const std::string &passes, ErrorCode code) {
  const auto call = runtime.handler<&sum_of_steps>();
  const sartor::Configuration active{{"n", 3}};
  runtime.customize_pipeline({"default<O1>", {}});
  runtime.specialize(active);
  runtime.customize_pipeline({passes, {SARTOR_TEST_PASSES}});
  const auto request = [&] { return outcome_of([&] { runtime.specialize({{"n", 5}}); }); };
  const Outcome first = request();
  CHECK(first.code == code && !first.text.contains(kNotAgain));
  const Outcome second = request();
  CHECK(second.code == code && second.text.contains(kNotAgain));
  CHECK(runtime.configuration() == active);
  CHECK(call(5, 1) == 10 && call(3, 1) == 3);
  runtime.customize_pipeline({});
  runtime.specialize({{"n", 6}});
  CHECK(call(6, 1) == 15);
}

void time_in_process() {
  sartor::Runtime runtime({.compile_timeout = 1s});
  expect_failure(runtime, "test-slow,test-slow,test-slow,test-slow,test-slow,test-slow",
                 ErrorCode::compile_timeout);
}

// The thread is abandoned.
void hangs_in_process() {
  sartor::Runtime runtime({.compile_timeout = 500ms});
  runtime.customize_pipeline({"test-hanging", {SARTOR_TEST_PASSES}});
  const auto request = [&](long n) { return outcome_of([&] { runtime.specialize({{"n", n}}); }); };
  CHECK(request(5).text.contains("has not come back in time"));
  const Outcome other = request(7);
  CHECK(other.code == ErrorCode::compile_timeout);
  CHECK(other.text.contains("an earlier compile of its handler took too long"));
  runtime.customize_pipeline({"default<O1>", {}});
  runtime.specialize({{"n", 6}});
  CHECK(runtime.handler<&sum_of_steps>()(6, 1) == 15);
}

#ifndef SARTOR_SANITIZED // whose compilers have no limit
void memory_out_of_process() {
  sartor::Options options = out_of_process();
  options.compile_memory_bytes = 512U << 20;
  sartor::Runtime runtime(options);
  expect_failure(runtime, "test-large", ErrorCode::compile_memory);
  // The same request without that limit; the pass takes 3 GiB.
  options.compile_memory_bytes = 0;
  sartor::Runtime other(options);
  other.customize_pipeline({"test-large", {SARTOR_TEST_PASSES}});
  other.specialize({{"n", 5}});
  CHECK(other.handler<&sum_of_steps>()(5, 1) == 10);
}
#endif

// The compiler is started for a request twice, not each time: five ends would refuse all requests.
void crash_out_of_process() {
  sartor::Runtime runtime(out_of_process());
  const auto call = runtime.handler<&sum_of_steps>();
  runtime.customize_pipeline({"test-crashing", {SARTOR_TEST_PASSES}});
  Outcome last;
  for (int i = 0; i < 10; ++i) {
    last = outcome_of([&] { runtime.specialize({{"n", 5}}); });
    CHECK(last.code == ErrorCode::compiler_lost);
  }
  CHECK(last.text.contains(kNotAgain));
  runtime.customize_pipeline({});
  runtime.specialize({{"n", 6}});
  CHECK(call(6, 1) == 15);
}

#ifndef SARTOR_SANITIZED
/// A variant of price() with a table of 40 MiB, which the compiler has in memory twice.
void request_large(sartor::Runtime &runtime) {
  runtime.add_custom("prices", [](const sartor::GeneratorInput &) {
    return sartor::GeneratedCode{.language = sartor::GeneratedCode::Language::llvm_ir,
                                 .text =
                                     "@table = internal constant [41943040 x i8] zeroinitializer\n"
                                     "define i64 @specialized(i64 %n) {\n"
                                     "  %place = getelementptr i8, ptr @table, i64 %n\n"
                                     "  %byte = load volatile i8, ptr %place\n"
                                     "  %result = zext i8 %byte to i64\n"
                                     "  ret i64 %result\n"
                                     "}\n"};
  });
  runtime.specialize({{"price", 3}});
}

/// In a child process: a request for the large variant with this limit. Returns what it printed.
std::string text_in_child(sartor::Options options, std::size_t memory,
                          const std::filesystem::path &directory) {
  const pid_t child = in_child([&] {
    options.compile_memory_bytes = memory;
    sartor::Runtime runtime(options);
    std::ofstream(directory / "text") << outcome_of([&] { request_large(runtime); }).text << "\n"
                                      << runtime.handler<&price>()(7) << "\n";
  });
  expect_good_end(child);
  return content_of(directory / "text");
}

/// Removes a directory at its end.
class Directory {
public:
  Directory() {
    std::string name = std::filesystem::temp_directory_path() / "sartor-limits-XXXXXX";
    CHECK(mkdtemp(name.data()));
    path = name;
  }
  ~Directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Directory(const Directory &) = delete;
  Directory &operator=(const Directory &) = delete;

  std::filesystem::path path;
};

// A later process does not compile what has failed, but caches answer it.
void next_process() {
  const Directory directory;
  unsetenv("SARTOR_VERIFY");
  setenv("SARTOR_STATE_DIR", (directory.path / "state").c_str(), 1);
  const auto ask = [&](std::size_t memory, const char *cache = "") {
    sartor::Options options = out_of_process();
    if (*cache)
      options.cache_directory = directory.path / cache;
    return text_in_child(options, memory, directory.path);
  };
  constexpr std::size_t kSmall = std::size_t{32} << 20;
  CHECK(ask(kSmall).contains("took more than 32 MiB"));
  const std::string refused = ask(kSmall);
  CHECK(refused.contains(kNotAgain) && refused.ends_with("\n14\n"));
  CHECK(ask(std::size_t{1} << 30, "cache") == "\n0\n");
  CHECK(ask(kSmall, "cache") == "\n0\n");
}

// One client's compiler fails; another client's request succeeds meanwhile and afterwards.
void memory_on_a_server() {
  const ServerProcess server({"--workers", "2"});
  sartor::Options by_tcp{
      .compiler = sartor::CompilerLocation::server,
      .compiler_server = {server.tcp(), server.file("server.pub"), server.file("clients/one.key")}};
  by_tcp.compile_memory_bytes = std::size_t{32} << 20;
  const sartor::Options by_socket{.compiler = sartor::CompilerLocation::server,
                                  .compiler_server = {server.local(), {}, {}}};
  sartor::Runtime one(by_tcp);
  sartor::Runtime two(by_socket);
  two.specialize({{"n", 3}});
  auto asked = two.specialize_async({{"n", 4}});
  const Outcome first = outcome_of([&] { request_large(one); });
  CHECK(first.code == ErrorCode::compile_memory && first.text.contains("took more than 32 MiB"));
  (void)asked.get();
  CHECK(one.handler<&price>()(7) == price(7));
  CHECK(outcome_of([&] { request_large(one); }).text.contains(kNotAgain));
  one.specialize({{"n", 5}});
  CHECK(one.handler<&sum_of_steps>()(5, 1) == 10);
  request_large(two); // the same request, whose limit is higher
  CHECK(two.handler<&price>()(7) == 0);
}
#endif

// The time may have been that of others, so the request is compiled again.
void time_on_a_server() {
  const ServerProcess server;
  sartor::Options options{.compiler = sartor::CompilerLocation::server,
                          .compiler_server = {server.local(), {}, {}}};
  options.compile_timeout = 2s;
  sartor::Runtime runtime(options);
  runtime.specialize({{"n", 3}});
  const auto request = [&] { return outcome_of([&] { runtime.specialize({{"n", 5}}); }); };
  server.signal(SIGSTOP);
  CHECK(request().code == ErrorCode::compile_timeout);
  server.signal(SIGCONT);
  Outcome last{ErrorCode::compile_timeout};
  for (int i = 0; i < 500 && last.code != ErrorCode{}; ++i) {
    std::this_thread::sleep_for(i > 0 ? 50ms : 0ms);
    last = request();
    CHECK(!last.text.contains(kNotAgain));
  }
  CHECK(last.code == ErrorCode{});
}

} // namespace

int main(int, char **arguments) {
  const std::map<std::string, void (*)()> cases{{"time_in_process", time_in_process},
                                                {"time_on_a_server", time_on_a_server},
                                                {"hangs_in_process", hangs_in_process},
#ifndef SARTOR_SANITIZED
                                                {"memory_out_of_process", memory_out_of_process},
                                                {"next_process", next_process},
                                                {"memory_on_a_server", memory_on_a_server},
#endif
                                                {"crash_out_of_process", crash_out_of_process}};
  cases.at(arguments[1])();
  std::puts("all is well");
}
