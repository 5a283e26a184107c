// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs the named case of Sartor's state after fork().

#include <map>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

#include "check.h"
#include "handlers.h"

using namespace std::chrono_literals;

namespace {

sartor::Runtime &static_runtime() {
  static sartor::Runtime runtime;
  return runtime;
}

long blocked_on = -1;
std::atomic<bool> is_inside = false;

long wait_for_byte(long n) {
  is_inside = true;
  char byte = 0;
  return read(static_cast<int>(blocked_on), &byte, 1) == 1 ? n : -1;
}

void child_exits() {
  auto &runtime = static_runtime();
  const auto call = runtime.handler<&scale>();
  runtime.specialize({{"m", 2}});
  expect_good_end(in_child([&] { CHECK(call(3, 2) == 6); }));
  CHECK(call(3, 2) == 6);
}

void child_specializes() {
  auto &runtime = static_runtime();
  const auto call = runtime.handler<&scale>();
  runtime.specialize({{"m", 2}});
  expect_good_end(in_child([&] {
    const auto compiles = runtime.statistics().compiles;
    runtime.specialize({{"m", sartor::unguarded(5)}});
    CHECK(call(3, 2) == 15);
    CHECK(runtime.statistics().compiles > compiles);
    CHECK(call.function()(3, 2) == 15);
    const auto bound = runtime.bind<&sum_of>(sartor::_, 3);
    bound.wait();
    expect_good_end(in_child([&] { // a child of the child
      runtime.specialize({{"m", sartor::unguarded(7)}});
      CHECK(call(3, 2) == 21);
    }));
  }));
  CHECK(call(3, 2) == 6);
  runtime.specialize({{"m", sartor::unguarded(4)}});
  CHECK(call(3, 2) == 12);
}

void parent_compiles() {
  auto &runtime = static_runtime();
  const auto call = runtime.handler<&scale>();
  for (int round = 0; round < 6; ++round) {
    std::vector<std::future<std::vector<sartor::VariantInfo>>> made;
    for (int m = 0; m < 4; ++m)
      made.push_back(runtime.specialize_async({{"m", 100 * round + m}}));
    std::this_thread::sleep_for(round * 3ms);
    const pid_t child = in_child([&] {
      for (auto &one : made)
        try {
          one.get();
        } catch (const sartor::Error &error) {
          CHECK(error.code() == sartor::ErrorCode::forked);
        }
      try {
        runtime.specialize({{"m", sartor::unguarded(9)}});
        CHECK(call(2, 1) == 18);
      } catch (const sartor::Error &error) { // LLVM was running and the fork could not wait for it
        CHECK(error.code() == sartor::ErrorCode::forked);
      }
    });
    for (auto &one : made)
      CHECK(!one.get().empty());
    expect_good_end(child);
  }
}

void thread_is_inside() {
  auto &runtime = static_runtime();
  int pipes[2];
  CHECK(pipe(pipes) == 0);
  blocked_on = pipes[0];
  const auto call = runtime.handler<&through>();
  std::thread blocked([&] { call(1, wait_for_byte); });
  while (!is_inside)
    std::this_thread::sleep_for(1ms);
  static long values[3] = {1, 2, 3};
  sartor::Invariant invariant(values, sizeof values);
  const auto bound = runtime.bind<&sum_of>(values, 3);
  bound.wait();
  expect_good_end(in_child([&] {
    CHECK(bound() == 6);
    invariant.invalidate(); // waits for all threads that are inside
    values[0] = 10;
    CHECK(bound() == 15);
    runtime.specialize({{"m", 2}});
    runtime.specialize({});
    while (runtime.statistics().waiting > 0)
      std::this_thread::sleep_for(1ms);
  }));
  CHECK(write(pipes[1], "x", 1) == 1);
  blocked.join();
}

void child_of_a_handler() {
  auto &runtime = static_runtime();
  const auto call = runtime.handler<&through>();
  const auto forks = [](long) -> long { return fork(); };
  const pid_t child = static_cast<pid_t>(call(1, forks));
  if (child == 0) {
    static_runtime().specialize({{"m", 3}});
    while (static_runtime().statistics().waiting > 0)
      std::this_thread::sleep_for(1ms);
    std::exit(0);
  }
  expect_good_end(child);
}

void many_workers() {
  auto &runtime = static_runtime();
  const auto call = runtime.handler<&scale>();
  runtime.specialize({{"m", 2}});
  std::vector<pid_t> workers;
  for (long worker = 0; worker < 4; ++worker)
    workers.push_back(in_child([&, worker] {
      for (long m = 3; m < 6; ++m) {
        runtime.specialize({{"m", sartor::unguarded(m * 10 + worker)}});
        CHECK(call(2, 0) == 2 * (m * 10 + worker));
      }
    }));
  for (const pid_t worker : workers)
    expect_good_end(worker);
}

void explorer_runs() {
  const auto log = fresh_file("sartor_fork");
  sartor::Options options;
  options.event_log = log;
  static sartor::Runtime runtime(options);
  static std::atomic<std::uint64_t> calls = 0;
  std::jthread caller([call = runtime.handler<&scale>()](const std::stop_token &stop) {
    while (!stop.stop_requested()) {
      call(3, 2);
      ++calls;
    }
  });
  sartor::ExplorerOptions how;
  how.choices = {{"m", {2, 3}}};
  static auto explorer = sartor::autotune(runtime, sartor::Objective::rate_of(calls), how);
  std::this_thread::sleep_for(50ms);
  expect_good_end(in_child([&] {
    CHECK(content_of(log).find("start() it anew in the child") != std::string::npos);
    CHECK(content_of(log).find("\"pid\":" + std::to_string(getpid())) != std::string::npos);
    explorer.stop();
    explorer.start();
    std::this_thread::sleep_for(20ms);
    explorer.stop();
  }));
  explorer.stop();
}

/// Explores on another thread, which the child does not have.
void other_thread_explores() {
  auto &runtime = static_runtime();
  static std::atomic<std::uint64_t> calls = 0;
  std::jthread caller([call = runtime.handler<&scale>()](const std::stop_token &stop) {
    while (!stop.stop_requested()) {
      call(3, 2);
      ++calls;
    }
  });
  sartor::ExplorerOptions how;
  how.choices = {{"m", {2, 3}}};
  static sartor::Explorer explorer(runtime, sartor::Objective::rate_of(calls), how);
  std::jthread exploring([](const std::stop_token &stop) { explorer.explore(stop); });
  std::this_thread::sleep_for(50ms);
  expect_good_end(in_child([] {
    explorer.start();
    std::this_thread::sleep_for(20ms);
    explorer.stop();
    _exit(0); // the objects on that thread's stack are lost here
  }));
}

} // namespace

int main(int, char **arguments) {
  const std::map<std::string, void (*)()> cases{{"child_exits", child_exits},
                                                {"child_specializes", child_specializes},
                                                {"parent_compiles", parent_compiles},
                                                {"thread_is_inside", thread_is_inside},
                                                {"child_of_a_handler", child_of_a_handler},
                                                {"many_workers", many_workers},
                                                {"explorer_runs", explorer_runs},
                                                {"other_thread_explores", other_thread_explores}};
  cases.at(arguments[1])();
  std::puts("all is well");
}
