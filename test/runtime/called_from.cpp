// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Contexts from which a program may call Sartor, as the table in docs/guides/embedding.md lists
/// them: run with the name of a case.
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include <sys/time.h>

#include <sartor/sartor.hpp>

#include "../engine/check.h"
#include "comes_true.h"
#include "handlers/files.h"

using namespace std::chrono_literals;
using sartor::_;
using sartor::QuasiInvariant;
using sartor::Runtime;
using sartor::Write;

namespace {

File file = {0, 0, 0, 4096};

std::uint64_t expected(std::uint64_t bytes) {
  File copy = file;
  copy.offset += bytes;
  return copy.size - copy.offset % copy.size + copy.shared * 10'000 + copy.locks * 1'000'000'000;
}

/// All operations that a thread of the program may perform.
void do_everything(Runtime &runtime) {
  const auto call = runtime.handler<&read_file>();
  runtime.specialize({});
  std::uint64_t right = expected(1);
  CHECK(call(&file, 1) == right);
  const auto bound = runtime.bind<&read_file>(&file, _);
  bound.wait();
  right = expected(1);
  CHECK(bound(1) == right);
  QuasiInvariant quasi_invariant("size", {});
  quasi_invariant.add_fields(file, &File::size);
  if (const Write write(quasi_invariant); write)
    file.size = 4096;
  CHECK(quasi_invariant.wait_until_valid(60s));
  sartor::Invariant invariant(&file.locks, sizeof file.locks);
  invariant.invalidate();
}

void answers() {
  Runtime runtime;
  std::atomic<unsigned> asked = 0;
  sartor::QuasiInvariantOptions options;
  options.back_off = options.longest_back_off = 1ms;
  options.refuse = [&](void *, std::size_t) {
    ++asked;
    do_everything(runtime);
    return true;
  };
  QuasiInvariant quasi_invariant("shared", options);
  quasi_invariant.add_fields(file, &File::shared);
  const auto bound = runtime.bind<&read_file>(&file, _);
  for (int i = 0; i < 3; ++i) {
    CHECK(quasi_invariant.wait_until_valid(60s));
    CHECK(!Write(quasi_invariant));
  }
  CHECK(asked == 3);
  const std::uint64_t right = expected(1);
  CHECK(bound(1) == right);
}

/// `holds` is called on a thread of Sartor.
void predicate() {
  Runtime runtime;
  std::atomic<unsigned> asked = 0;
  sartor::QuasiInvariantOptions options;
  options.validate = [&] {
    ++asked;
    const auto call = runtime.handler<&read_only_file>();
    CHECK(call(1) == 1 + only_file.shared * 10'000);
    return true;
  };
  QuasiInvariant quasi_invariant("shared", options);
  quasi_invariant.add_fields(file, &File::shared);
  CHECK(quasi_invariant.wait_until_valid(60s));
  CHECK(asked > 0);
}

// The runtime that the signal handler uses.
Runtime *runtime_of_signals = nullptr;
const QuasiInvariant *fact_of_signals = nullptr;
std::uint64_t (*entry_of_signals)(std::uint64_t) = nullptr;
sartor::Histogram *histogram_of_signals = nullptr;
std::atomic<unsigned> signals = 0;
std::atomic<unsigned> wrong = 0;

void on_signal(int) {
  if (const Write write(*fact_of_signals); write)
    only_file.shared ^= 1;
  const std::uint64_t right = 1 + only_file.shared * 10'000;
  wrong += entry_of_signals(1) == right ? 0 : 1;
  histogram_of_signals->record(1us);
  ++signals;
}

void signal_handler() {
  sartor::Options logged;
  logged.event_log = fresh_file("sartor_called_from");
  Runtime runtime(logged);
  sartor::QuasiInvariantOptions options;
  options.back_off = options.longest_back_off = 1ms;
  QuasiInvariant quasi_invariant("shared", options);
  quasi_invariant.add_fields(only_file, &File::shared);
  const auto call = runtime.handler<&read_only_file>();
  runtime.specialize({});
  sartor::Histogram histogram;
  runtime_of_signals = &runtime;
  fact_of_signals = &quasi_invariant;
  entry_of_signals = call.function();
  histogram_of_signals = &histogram;
  CHECK(entry_of_signals(1) == 1);
  CHECK(quasi_invariant.wait_until_valid(60s));
  std::signal(SIGALRM, on_signal);
  const itimerval often{{0, 5000}, {0, 5000}};
  setitimer(ITIMER_REAL, &often, nullptr);
  for (const auto end = std::chrono::steady_clock::now() + 120s;
       signals < 100 && std::chrono::steady_clock::now() < end;)
    (void)call(1);
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  CHECK(signals >= 100);
  const auto is_right = [&] { return call(1) == 1 + only_file.shared * 10'000; };
  const bool all_are_right = wrong == 0 && is_right();
  // Sartor lets a signal handler wait for a second. If the machine stops, the invalidation may take
  // longer, and calls until then run old code.
  const auto is_late = [&] {
    return content_of(logged.event_log).contains("quasi_invariant_invalidated_late");
  };
  CHECK(all_are_right || comes_true(is_late));
  CHECK(comes_true(is_right));
  std::filesystem::remove(logged.event_log);
}

Runtime *runtime_of_destructors = nullptr;
std::atomic<bool> is_destroyed = false;

struct Last {
  ~Last() {
    if (!runtime_of_destructors)
      return;
    do_everything(*runtime_of_destructors);
    is_destroyed = true;
  }
};

void thread_local_destructor() {
  Runtime runtime;
  runtime_of_destructors = &runtime;
  std::thread([] {
    // One is constructed before Sartor's thread-local data, the other after it.
    thread_local const Last first;
    (void)&first;
    do_everything(*runtime_of_destructors);
    thread_local const Last second;
    (void)&second;
  }).join();
  CHECK(is_destroyed);
  runtime_of_destructors = nullptr;
}

/// Calls in the destructor of a static object: existing variants keep working, and no new ones are
/// made.
struct AtExit {
  Runtime *runtime = nullptr;
  QuasiInvariant *quasi_invariant = nullptr;
  ~AtExit() {
    if (!runtime)
      return;
    const auto call = runtime->handler<&read_file>();
    for (int i = 0; i < 3; ++i) {
      if (const Write write(*quasi_invariant); write)
        ++file.shared;
      const std::uint64_t right = expected(1);
      CHECK(call(&file, 1) == right);
    }
    auto refused = sartor::ErrorCode();
    try {
      runtime->bind<&read_file>(&file, 77).wait();
    } catch (const sartor::Error &error) {
      refused = error.code();
    }
    CHECK(refused == sartor::ErrorCode::closing);
    delete quasi_invariant;
    delete runtime;
    std::puts("static objects are destroyed");
  }
};
AtExit at_exit;

void static_destructor() {
  at_exit.runtime = new Runtime;
  at_exit.quasi_invariant = new QuasiInvariant("shared", {});
  at_exit.quasi_invariant->add_fields(file, &File::shared);
  const auto bound = at_exit.runtime->bind<&read_file>(&file, _);
  bound.wait();
  CHECK(at_exit.quasi_invariant->wait_until_valid(60s));
}

} // namespace

int main(int, char **arguments) {
  const std::map<std::string, void (*)()> cases{
      {"answers", answers},
      {"predicate", predicate},
      {"signal_handler", signal_handler},
      {"thread_local_destructor", thread_local_destructor},
      {"static_destructor", static_destructor}};
  cases.at(arguments[1])();
  std::puts("all is well");
}
