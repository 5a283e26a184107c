// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A program whose compiler is on a server, which the program itself starts: run with the name of a
/// case.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <sartor/sartor.hpp>

#include "../engine/check.h"
#include "../remote/closes_descriptors.h"
#include "../remote/handlers.h"
#include "../remote/same_results.h"
#include "by_server.h"
#include "compilers.h"
#include "server_process.h"
#include "slow_line.h"

using namespace std::chrono_literals;
using sartor::ErrorCode;

namespace {

/// Retries while the program still waits before it contacts the server again, and while a busy
/// machine takes longer than a short limit.
ErrorCode soon(const std::function<void()> &work) {
  ErrorCode last{};
  for (int i = 0; i < 600; ++i) {
    last = code_of(work);
    if (last != ErrorCode::compiler_lost && last != ErrorCode::compile_timeout)
      break;
    std::this_thread::sleep_for(100ms);
  }
  return last;
}

void same_results() {
  const ServerProcess server;
  for (const auto &options : {by_tcp(server), by_socket(server)}) {
    sartor::Runtime runtime(options);
    compare(runtime);
    CHECK(code_of([&] { runtime.customize_pipeline({.passes = "no-such-pass"}); }) ==
          ErrorCode::bad_pipeline);
    CHECK(code_of([&] { runtime.customize_pipeline({.plugins = {"/a/plugin.so"}}); }) ==
          ErrorCode::bad_pipeline);
    runtime.customize_pipeline({.passes = "default<O1>"});
    runtime.specialize({{"n", 9}});
    CHECK(runtime.handler<&sum_of_steps>()(9, 2) == sum_of_steps(9, 2));
  }
}

/// Uses the server that the environment names; fails if there is none, or if it refuses.
void as_the_environment_says() {
  CHECK(std::getenv("SARTOR_COMPILER") != nullptr);
  sartor::Runtime runtime;
  compare(runtime);
}

void profiles() {
  const ServerProcess server;
  sartor::Runtime runtime(by_tcp(server));
  const auto call = runtime.handler<&sum_of_steps>();
  runtime.instrument({{"n", 1}});
  for (int i = 0; i < 1000; ++i)
    CHECK(call(64, 1) == sum_of_steps(64, 1));
  CHECK(runtime.profile().points().at("n").count == 1000);
}

void invariant_memory() {
  const ServerProcess server;
  sartor::Runtime runtime(by_tcp(server));
  Rules rules{3, {10, 20, 30, 0}};
  for (int round = 0; round < 2; ++round) { // the second answer is cached, including its calls
    sartor::Invariant invariant(&rules, sizeof rules);
    auto bound = runtime.bind<&first_rule>(&rules, sartor::_);
    bound.wait();
    for (const long value : {0L, 10L, 11L, 30L, 31L, 60L, 61L})
      CHECK(bound(value) == first_rule(&rules, value));
    CHECK(runtime.statistics().compiles > 0);
    invariant.invalidate();
    rules.limits[0] = 5;
    CHECK(bound(7) == 1);
    rules.limits[0] = 10;
  }
}

void gone_at_the_start() {
  ServerProcess server;
  server.stop();
  sartor::Runtime runtime(by_tcp(server));
  CHECK(!runtime.active());
  const auto call = runtime.handler<&sum_of_steps>();
  CHECK(code_of([&] { runtime.specialize({{"n", 3}}); }) == ErrorCode::compiler_lost);
  CHECK(call(3, 1) == 3);
  server.start();
  CHECK(soon([&] {
          sartor::Runtime again(by_tcp(server));
          again.specialize({{"n", 3}});
        }) == ErrorCode{});
}

bool comes_true(const std::function<bool()> &condition) {
  for (int i = 0; i < 2000 && !condition(); ++i)
    std::this_thread::sleep_for(100ms);
  return condition();
}

// A runtime that was created while the server was away becomes active by itself: handles, bindings
// and earlier requests take effect, and guest programs can be requested.
void opens_late() {
  ServerProcess server;
  server.kill();
  auto options = by_tcp(server);
  options.event_log = server.file("events");
  sartor::Runtime runtime(options);
  CHECK(!runtime.active() && runtime.opening());
  const auto sum = runtime.handler<&sum_of_steps>();
  const auto named = runtime.handler<long(long, long)>("sum_of_steps");
  Rules rules{3, {10, 20, 30, 0}};
  sartor::Invariant invariant(&rules, sizeof rules);
  const auto rule = runtime.bind<&first_rule>(&rules, sartor::_);
  const auto seven = runtime.bind<&sum_of_steps>(7, sartor::_);
  const auto eight = runtime.bind<&sum_of_steps>(8, sartor::_);
  const auto check = [&] {
    CHECK(sum(100, 3) == sum_of_steps(100, 3) && named(9, 2) == sum_of_steps(9, 2));
    CHECK(rule(15) == 1 && rule(31) == -1);
    CHECK(seven(2) == sum_of_steps(7, 2) && eight(3) == sum_of_steps(8, 3));
  };
  check();
  Rules others{2, {5, 6, 0, 0}};
  sartor::GuestPrograms programs(runtime, {.waits = true, .in_part = true});
  sartor::GuestProgram program;
  const auto ask = [&] {
    programs.specialize(program, "first_rule", {{0, reinterpret_cast<std::uintptr_t>(&others)}},
                        sartor::Invariant(&others, sizeof others));
  };
  ask();
  CHECK(program.state() == sartor::GuestState::counted);
  CHECK(code_of([&] { runtime.specialize({{"n", 100}}); }) == ErrorCode::compiler_lost);
  std::atomic<bool> stop = false;
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i)
    callers.emplace_back([&] {
      while (!stop)
        check();
    });
  server.start();
  CHECK(comes_true([&] { return runtime.active(); }));
  CHECK(!runtime.opening());
  // n = 100, and the arguments of the bindings.
  CHECK(comes_true([&] { return runtime.statistics().compiles >= 4; }));
  CHECK(comes_true([&] { return runtime.configuration() == sartor::Configuration{{"n", 100}}; }));
  stop = true;
  for (std::thread &caller : callers)
    caller.join();
  check();
  ask();
  CHECK(program.state() == sartor::GuestState::ready);
  CHECK(program.function<long(long)>()(5) == first_rule(&others, 5));
  CHECK(content_of(server.file("events")).contains("\"opened_late\""));
  rules.limits[0] = 0; // compiled code would see this change, too, if the memory were not invariant
  invariant.invalidate();
  CHECK(rule(1) == 1);
  runtime.specialize({{"n", 5}});
  CHECK(sum(5, 1) == 10);
}

// The program exits while it waits for the server, and so does a child after fork().
void closed_while_opening() {
  ServerProcess server;
  server.kill();
  for (int i = 0; i < 20; ++i) {
    const sartor::Runtime runtime(by_tcp(server));
    CHECK(runtime.opening());
  }
  sartor::Runtime runtime(by_tcp(server));
  const pid_t child = fork();
  if (child == 0) {
    server.forget();
    CHECK(code_of([&] { runtime.specialize({{"n", 4}}); }) == ErrorCode::compiler_lost);
    CHECK(comes_true([&] { return runtime.active(); }));
    runtime.specialize({{"n", 4}});
    CHECK(runtime.handler<&sum_of_steps>()(4, 1) == 6);
    std::_Exit(0);
  }
  server.start();
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK(comes_true([&] { return runtime.active(); }));
}

// A server that refuses may know the key later.
void opens_late_after_a_refusal() {
  const ServerProcess server;
  server.make_key("two");
  auto options = by_tcp(server);
  options.compiler_server.key = server.file("two.key");
  sartor::Runtime runtime(options);
  CHECK(!runtime.active() && runtime.opening());
  CHECK(code_of([&] { runtime.specialize({{"n", 3}}); }) == ErrorCode::server_refused);
  std::filesystem::copy_file(server.file("two.pub"), server.file("clients/two.pub"));
  server.signal(SIGHUP);
  CHECK(comes_true([&] { return runtime.active(); }));
  runtime.specialize({{"n", 4}});
  CHECK(runtime.handler<&sum_of_steps>()(4, 1) == 6);
}

// Constraints are checked when the points are known.
void opens_late_despite_constraints() {
  ServerProcess server;
  server.kill();
  auto options = by_tcp(server);
  options.event_log = server.file("events");
  sartor::Runtime runtime(options);
  runtime.constrain({.relations = {"no_such_label <= 3"}});
  server.start();
  CHECK(comes_true([&] { return runtime.active(); }));
  CHECK(content_of(server.file("events")).contains("no_such_label"));
  runtime.specialize({{"n", 4}});
  CHECK(runtime.handler<&sum_of_steps>()(4, 1) == 6);
}

void compiles_here_meanwhile() {
  ServerProcess server;
  server.kill();
  auto options = by_tcp(server);
  options.compiler_server.fallback = true;
  options.event_log = server.file("events");
  sartor::Runtime runtime(options);
  CHECK(runtime.active());
  const auto call = runtime.handler<&sum_of_steps>();
  runtime.specialize({{"n", 3}});
  CHECK(call(3, 1) == 3 && runtime.statistics().compiles >= 1);
  server.start();
  // The server is tried again from time to time.
  long n = 100;
  CHECK(comes_true([&] {
    runtime.specialize({{"n", ++n}});
    return content_of(server.file("events")).contains("\"compiler_back\"");
  }));
  server.kill();
  runtime.specialize({{"n", 6}});
  CHECK(call(6, 1) == 15);
}

void several_addresses() {
  ServerProcess one;
  ServerProcess two;
  std::filesystem::copy_file(one.file("server.key"), two.file("server.key"),
                             std::filesystem::copy_options::overwrite_existing);
  std::filesystem::copy_file(one.file("clients/one.pub"), two.file("clients/one.pub"),
                             std::filesystem::copy_options::overwrite_existing);
  two.stop();
  two.start();
  auto options = by_tcp(one);
  options.compiler_server.address = "tcp://127.0.0.1:1," + one.tcp() + "," + two.tcp();
  sartor::Runtime runtime(options);
  runtime.specialize({{"n", 3}});
  one.kill();
  CHECK(soon([&] { runtime.specialize({{"n", 4}}); }) == ErrorCode{});
  two.kill();
  one.start();
  CHECK(soon([&] { runtime.specialize({{"n", 5}}); }) == ErrorCode{});
  CHECK(runtime.handler<&sum_of_steps>()(5, 1) == 10);
}

// Server keys overlap while they are replaced, and the cache stays.
void server_key_replaced() {
  ServerProcess server({"--cache-dir", (std::filesystem::temp_directory_path() /
                                        ("sartor-rotation-" + std::to_string(getpid())))
                                           .string()});
  namespace fs = std::filesystem;
  fs::create_directory(server.file("known"));
  fs::copy_file(server.file("server.pub"), server.file("known/old.pub"));
  auto options = by_tcp(server);
  options.compiler_server.server_key = server.file("known");
  const auto specialize = [&] {
    sartor::Runtime runtime(options);
    runtime.specialize({{"n", 3}});
    CHECK(runtime.handler<&sum_of_steps>()(3, 1) == 3);
  };
  specialize();
  server.make_key("new");
  fs::copy_file(server.file("new.pub"), server.file("known/new.pub"));
  server.stop();
  fs::rename(server.file("new.key"), server.file("server.key"));
  server.start();
  CHECK(soon(specialize) == ErrorCode{});
  fs::remove(server.file("known/old.pub"));
  specialize();
  // Also by the socket: answers come from another client's cache, or are made again.
  options = by_socket(server);
  options.compiler_server.server_key = server.file("known/new.pub");
  specialize();
}

void gone_in_the_middle() {
  ServerProcess server;
  auto options = by_tcp(server);
  options.event_log = server.file("events");
  sartor::Runtime runtime(options);
  const auto call = runtime.handler<&sum_of_steps>();
  runtime.specialize({{"n", 3}});
  server.kill();
  CHECK(code_of([&] { runtime.specialize({{"n", 4}}); }) == ErrorCode::compiler_lost);
  CHECK(call(4, 1) == 6 && call(3, 1) == 3);
  server.start();
  CHECK(soon([&] { runtime.specialize({{"n", 5}}); }) == ErrorCode{});
  CHECK(call(5, 1) == 10);
  const std::string events = content_of(server.file("events"));
  CHECK(events.contains("\"compiler_lost\"") && events.contains("\"compiler_back\""));
}

// A connection that was lost while idle is reopened, and no error is reported.
void gone_while_idle() {
  ServerProcess server;
  auto options = by_tcp(server);
  options.quick_tier = false; // no compilation in the background uses the connection
  sartor::Runtime runtime(options);
  runtime.specialize({{"n", 3}});
  server.kill();
  server.start();
  runtime.specialize({{"n", 4}});
  CHECK(runtime.handler<&sum_of_steps>()(4, 1) == 6);
}

void another_servers_key() {
  const ServerProcess server;
  server.make_key("other");
  auto options = by_tcp(server);
  options.compiler_server.server_key = server.file("other.pub");
  sartor::Runtime runtime(options);
  CHECK(!runtime.active());
  CHECK(code_of([&] { runtime.specialize({{"n", 3}}); }) == ErrorCode::server_refused);
  CHECK(runtime.handler<&sum_of_steps>()(3, 1) == 3);
  // Over a socket without TLS, the signatures reveal it.
  options = by_socket(server);
  options.compiler_server.server_key = server.file("other.pub");
  sartor::Runtime local(options);
  CHECK(code_of([&] { local.specialize({{"n", 3}}); }) == ErrorCode::server_refused);
}

void unknown_client() {
  const ServerProcess server;
  server.make_key("two");
  auto options = by_tcp(server);
  options.compiler_server.key = server.file("two.key");
  {
    sartor::Runtime runtime(options);
    CHECK(code_of([&] { runtime.specialize({{"n", 3}}); }) == ErrorCode::server_refused);
  }
  std::filesystem::copy_file(server.file("two.pub"), server.file("clients/two.pub"));
  server.signal(SIGHUP);
  for (int i = 0; i < 6000 && !server.log().contains("2 clients"); ++i)
    std::this_thread::sleep_for(10ms);
  sartor::Runtime runtime(options);
  runtime.specialize({{"n", 3}});
}

void bad_settings() {
  const ServerProcess server;
  const auto code = [](const sartor::Options &options) {
    sartor::Runtime runtime(options);
    CHECK(!runtime.active());
    return code_of([&] { runtime.specialize({{"n", 3}}); });
  };
  auto options = by_tcp(server);
  options.compiler_server.key.clear();
  CHECK(code(options) == ErrorCode::no_compiler);
  options = by_tcp(server);
  options.compiler_server.server_key = "/nowhere.pub";
  CHECK(code(options) == ErrorCode::no_compiler);
  for (const char *address : {"", "tcp://", "tcp://host", "tcp://host:x", "tcp://host:70000",
                              "unix:relative", "tcp://1:2:3:4"}) {
    options = by_tcp(server);
    options.compiler_server.address = address;
    CHECK(code(options) == ErrorCode::no_compiler);
  }
}

void compilers_killed() {
  const ServerProcess server;
  sartor::Runtime runtime(by_tcp(server));
  const auto call = runtime.handler<&sum_of_steps>();
  std::atomic<bool> done = false;
  std::thread killer([&] {
    while (!done) {
      for (const pid_t one : compilers())
        kill(one, SIGKILL);
      std::this_thread::sleep_for(30ms);
    }
  });
  for (long n = 10; n < 60; ++n) {
    const auto code = code_of([&] { runtime.specialize({{"n", n}}); });
    CHECK(code == ErrorCode{} || code == ErrorCode::compiler_lost);
    CHECK(call(n, 1) == n * (n - 1) / 2);
  }
  done = true;
  killer.join();
  CHECK(soon([&] { runtime.specialize({{"n", 9}}); }) == ErrorCode{});
  CHECK(call(9, 1) == 36);
}

void compiler_hangs() {
  const ServerProcess server({"--compile-timeout", "5", "--workers", "1"});
  sartor::Runtime runtime(by_tcp(server));
  CHECK(soon([&] { runtime.specialize({{"n", 3}}); }) == ErrorCode{});
  // The compiling process is a child of its monitor.
  const auto all = compilers();
  for (const pid_t one : all)
    if (std::ranges::count(all, parent_of(one)) > 0)
      kill(one, SIGSTOP);
  // The stopped one is ended; another one gets the request.
  CHECK(soon([&] { runtime.specialize({{"n", 4}}); }) == ErrorCode{});
  CHECK(runtime.handler<&sum_of_steps>()(4, 1) == 6);
}

void child_of_a_fork() {
  const ServerProcess server;
  auto options = by_tcp(server);
  options.quick_tier = false; // no thread compiles in the background at fork()
  sartor::Runtime runtime(options);
  const auto call = runtime.handler<&sum_of_steps>();
  runtime.specialize({{"n", 3}});
  expect_good_end(in_child([&] {
    runtime.specialize({{"n", 4}});
    CHECK(call(4, 1) == 6);
    _exit(0); // the server belongs to the parent
  }));
  runtime.specialize({{"n", 5}});
  CHECK(call(5, 1) == 10);
}

// A connection with the latency of the other side of the earth.
void slow_line() {
  const ServerProcess server;
  auto &line = *new SlowLine(server.port(), 40ms);
  auto options = by_tcp(server);
  options.compiler_server.address = line.address();
  sartor::Runtime runtime(options);
  compare(runtime);
}

// The connection is lost without a notification.
void half_open_line() {
  const ServerProcess server;
  auto &line = *new SlowLine(server.port(), 1ms);
  auto options = by_tcp(server);
  options.compiler_server.address = line.address();
  options.compile_timeout = 2s;
  sartor::Runtime runtime(options);
  const auto call = runtime.handler<&sum_of_steps>();
  CHECK(soon([&] { runtime.specialize({{"n", 3}}); }) == ErrorCode{});
  line.fall_silent(true);
  CHECK(code_of([&] { runtime.specialize({{"n", 4}}); }) == ErrorCode::compile_timeout);
  CHECK(call(4, 1) == 6 && call(3, 1) == 3);
  line.fall_silent(false);
  CHECK(soon([&] { runtime.specialize({{"n", 5}}); }) == ErrorCode{});
  CHECK(call(5, 1) == 10);
}

/// Runs in a separate network namespace.
void link_down() {
  const ServerProcess server;
  sartor::Runtime runtime(by_tcp(server));
  const auto call = runtime.handler<&sum_of_steps>();
  runtime.specialize({{"n", 3}});
  // NOLINTNEXTLINE(bugprone-command-processor): the shell finds programs of the test there
  CHECK(std::system("ip link set lo down") == 0);
  const auto code = code_of([&] { runtime.specialize({{"n", 4}}); });
  CHECK(code == ErrorCode::compiler_lost || code == ErrorCode::compile_timeout);
  CHECK(call(4, 1) == 6 && call(3, 1) == 3);
  CHECK(std::system("ip link set lo up") == 0); // NOLINT(bugprone-command-processor)
  CHECK(soon([&] { runtime.specialize({{"n", 5}}); }) == ErrorCode{});
  CHECK(call(5, 1) == 10);
}

// The clock is years ahead, or behind.
void another_clock() {
  CHECK(std::time(nullptr) > 4'000'000'000 && getenv("LD_PRELOAD"));
  unsetenv("LD_PRELOAD");
  const ServerProcess server;
  sartor::Runtime runtime(by_tcp(server));
  compare(runtime);
}

void closes_all_descriptors() {
  const ServerProcess server;
  closes_descriptors(by_tcp(server), sartor::PerfNames::dump);
  closes_descriptors(by_socket(server), sartor::PerfNames::map);
}

void without_standard_streams() {
  const ServerProcess server;
  for (const auto &options : {by_tcp(server), by_socket(server)})
    expect_good_end(in_child([&] {
      close(STDIN_FILENO);
      sartor::Runtime runtime(options);
      runtime.specialize({{"n", 4}});
      CHECK(runtime.handler<&sum_of_steps>()(4, 1) == 6);
      bool is_free = false;
      for (int i = 0; i < 6000 && !is_free; ++i, std::this_thread::sleep_for(10ms))
        is_free = fcntl(STDIN_FILENO, F_GETFD) < 0;
      CHECK(is_free);
      _exit(0); // the server belongs to the parent
    }));
}

} // namespace

int main(int, char **arguments) {
  setenv("SARTOR_TEST_OF", std::to_string(getpid()).c_str(), 1);
  const std::map<std::string, void (*)()> cases{
      {"same_results", same_results},
      {"as_the_environment_says", as_the_environment_says},
      {"profiles", profiles},
      {"invariant_memory", invariant_memory},
      {"gone_at_the_start", gone_at_the_start},
      {"opens_late", opens_late},
      {"closed_while_opening", closed_while_opening},
      {"opens_late_after_a_refusal", opens_late_after_a_refusal},
      {"opens_late_despite_constraints", opens_late_despite_constraints},
      {"compiles_here_meanwhile", compiles_here_meanwhile},
      {"several_addresses", several_addresses},
      {"server_key_replaced", server_key_replaced},
      {"gone_in_the_middle", gone_in_the_middle},
      {"gone_while_idle", gone_while_idle},
      {"another_servers_key", another_servers_key},
      {"unknown_client", unknown_client},
      {"bad_settings", bad_settings},
      {"compilers_killed", compilers_killed},
      {"compiler_hangs", compiler_hangs},
      {"child_of_a_fork", child_of_a_fork},
      {"closes_all_descriptors", closes_all_descriptors},
      {"without_standard_streams", without_standard_streams},
      {"slow_line", slow_line},
      {"half_open_line", half_open_line},
      {"link_down", link_down},
      {"another_clock", another_clock}};
  cases.at(arguments[1])();
  std::puts("all is well");
}
