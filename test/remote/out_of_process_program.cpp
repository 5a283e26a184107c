// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A program with an out-of-process compiler: run with the name of a case and with
/// SARTOR_COMPILER=out-of-process.

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/sartor.hpp>

#include "../engine/check.h"
#include "closes_descriptors.h"
#include "handlers.h"
#include "same_results.h"
#include "tries.h"

using namespace std::chrono_literals;

namespace {

/// The environment variable that identifies this program's compilers.
constexpr const char *kMark = "SARTOR_TEST_OF";

void mark_as_mine() { setenv(kMark, std::to_string(getpid()).c_str(), 1); }

struct Process {
  pid_t pid;
  char state;
  pid_t parent;
};

/// The compiler processes that a process has started: first the monitors, then the workers.
std::vector<Process> compilers(pid_t of = getpid()) {
  std::vector<Process> found;
  for (const auto &entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos ||
        !content_of(entry.path() / "comm").starts_with("sartor-compiler"))
      continue;
    if (!content_of(entry.path() / "environ").contains(kMark + ("=" + std::to_string(of)) + '\0'))
      continue;
    const std::string stat = content_of(entry.path() / "stat");
    Process one{std::stoi(name), 0, 0};
    std::istringstream behind_name(stat.substr(std::min(stat.rfind(')') + 1, stat.size())));
    if (behind_name >> one.state >> one.parent && one.state != 'Z')
      found.push_back(one);
  }
  return found;
}

/// The worker process: its parent is another compiler process.
pid_t worker() {
  const auto all = compilers();
  for (const Process &one : all)
    for (const Process &other : all)
      if (one.parent == other.pid)
        return one.pid;
  return -1;
}

bool comes_true(const std::function<bool()> &condition) {
  for (int i = 0; i < 6000 && !condition(); ++i)
    std::this_thread::sleep_for(10ms);
  return condition();
}

void end_worker() {
  const pid_t one = worker();
  CHECK(one > 0 && kill(one, SIGKILL) == 0);
  CHECK(comes_true([one] { return kill(one, 0) != 0; }));
}

void same_results() {
  sartor::Runtime runtime;
  compare(runtime);
  CHECK(code_of([&] { runtime.customize_pipeline({.passes = "no-such-pass"}); }) ==
        sartor::ErrorCode::bad_pipeline);
  runtime.customize_pipeline({.passes = "default<O1>"});
  runtime.specialize({{"n", 9}});
  CHECK(runtime.handler<&sum_of_steps>()(9, 2) == sum_of_steps(9, 2));
}

void takes_generated_code() {
  using sartor::GeneratedCode;
  sartor::Runtime runtime;
  const auto call = runtime.handler<&price>();
  runtime.add_custom("prices", [](const sartor::GeneratorInput &point) {
    return GeneratedCode{.text = "long sartor_generic(long);\n"
                                 "long specialized(long n) { return n * " +
                                 point.setting.text() + " + sartor_generic(1); }"};
  });
  for (const long factor : {3L, 5L}) {
    runtime.specialize({{"price", factor}});
    CHECK(call(7) == 7 * factor + 2);
  }
  runtime.add_custom("prices", [](const sartor::GeneratorInput &) {
    return GeneratedCode{.language = GeneratedCode::Language::llvm_ir,
                         .text = "define i64 @specialized(i64 %n) {\n  ret i64 %m\n}\n"};
  });
  CHECK(code_of([&] { runtime.specialize({{"price", 1}}); }) ==
        sartor::ErrorCode::generated_invalid_ir);
  CHECK(call(7) == 37);
  CHECK(!has_llvm());
}

void is_nobodys_child() {
  static std::atomic<int> signals = 0;
  std::signal(SIGCHLD, [](int) { ++signals; });
  {
    sartor::Runtime runtime;
    runtime.specialize({{"n", 3}});
    CHECK(waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD);
    end_worker();
  }
  CHECK(signals == 0);
  CHECK(waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD);
  // The compiler ends with the program, even if the program is killed.
  const pid_t child = fork();
  if (child == 0) {
    mark_as_mine();
    sartor::Runtime runtime;
    runtime.specialize({{"n", 3}});
    CHECK(worker() > 0);
    raise(SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  CHECK(comes_true([child] { return compilers(child).empty(); }));
}

// A compiler that was lost while idle is replaced, and no error is reported. The first is started
// while the runtime is opened.
void killed_between() {
  std::string name = std::filesystem::temp_directory_path() / "sartor-killed-XXXXXX";
  const std::filesystem::path folder = mkdtemp(name.data());
  sartor::Options options;
  options.event_log = folder / "events";
  const auto starts = [&] {
    const std::string events = content_of(options.event_log);
    int count = 0;
    for (auto at = events.find("compiler_started"); at != std::string::npos;
         at = events.find("compiler_started", at + 1))
      ++count;
    return count;
  };
  sartor::Runtime runtime(options);
  const auto call = runtime.handler<&sum_of_steps>();
  runtime.specialize({{"n", 3}});
  CHECK(starts() == 1);
  const pid_t first = worker();
  end_worker();
  runtime.specialize({{"n", 4}});
  CHECK(call(4, 1) == 6 && call(3, 1) == 3);
  CHECK(worker() > 0 && worker() != first);
  CHECK(starts() >= 2);
  std::filesystem::remove_all(folder);
}

void killed_again_and_again() {
  sartor::Runtime runtime;
  const auto call = runtime.handler<&sum_of_steps>();
  runtime.specialize({{"n", 3}});
  sartor::ErrorCode last{};
  for (long n = 10; n < 40 && last == sartor::ErrorCode{}; ++n) {
    end_worker(); // by now, a request of the quick tier may have restarted it
    last = code_of([&] { runtime.specialize({{"n", n}}); });
    CHECK(call(n, 1) == n * (n - 1) / 2);
  }
  CHECK(last == sartor::ErrorCode::compiler_lost); // the limit is finite
  CHECK(call(3, 1) == 3);
}

void end_what_hangs() {
  mark_as_mine();
  sartor::Runtime runtime({.compile_timeout = 12s});
  const auto call = runtime.handler<&sum_of_steps>();
  runtime.specialize({{"n", 3}});
  const pid_t first = worker();
  CHECK(first > 0 && kill(first, SIGSTOP) == 0);
  CHECK(code_of([&] { runtime.specialize({{"n", 5}}); }) == sartor::ErrorCode::compile_timeout);
  CHECK(call(5, 1) == 10 && call(3, 1) == 3);
  CHECK(comes_true([&] { return kill(first, 0) != 0; }));
  runtime.specialize({{"n", 6}});
  CHECK(call(6, 1) == 15);
}

void hangs() { expect_good_end_of_one(end_what_hangs); }

void child_of_a_fork() {
  // No thread compiles in the background at fork().
  sartor::Runtime runtime({.quick_tier = false});
  const auto call = runtime.handler<&sum_of_steps>();
  runtime.specialize({{"n", 3}});
  const pid_t parents = worker();
  expect_good_end(in_child([&] {
    mark_as_mine();
    runtime.specialize({{"n", 4}});
    CHECK(call(4, 1) == 6);
    CHECK(worker() > 0 && worker() != parents);
  }));
  runtime.specialize({{"n", 5}});
  CHECK(call(5, 1) == 10);
  CHECK(worker() == parents);
}

void invariant_memory() {
  sartor::Runtime runtime;
  Rules rules{3, {10, 20, 30, 0}};
  sartor::Invariant invariant(&rules, sizeof rules);
  auto bound = runtime.bind<&first_rule>(&rules, sartor::_);
  bound.wait();
  for (const long value : {0L, 10L, 11L, 30L, 31L, 60L, 61L})
    CHECK(bound(value) == first_rule(&rules, value));
  CHECK(runtime.statistics().compiles > 0);
  invariant.invalidate();
  rules.limits[0] = 5;
  CHECK(bound(7) == 1);
}

// The process may not do anything that a compiler does not need.
void stays_confined() {
  sartor::Runtime runtime;
  runtime.specialize({{"n", 3}});
  const std::string status = content_of("/proc/" + std::to_string(worker()) + "/status");
#ifndef SARTOR_SANITIZED
  CHECK(status.contains("NoNewPrivs:\t1"));
  CHECK(status.contains("Seccomp:\t2"));
#endif
  std::size_t files = 0;
  for (const auto &one :
       std::filesystem::directory_iterator("/proc/" + std::to_string(worker()) + "/fd"))
    files += std::filesystem::read_symlink(one).string().starts_with("socket:") ? 1 : 0;
  CHECK(files <= 4); // the listening socket, and a connection for each tier
}

void without_the_program() {
  sartor::Runtime runtime;
  CHECK(!runtime.active());
  const auto call = runtime.handler<&sum_of_steps>();
  CHECK(code_of([&] { runtime.specialize({{"n", 3}}); }) == sartor::ErrorCode::no_compiler);
  CHECK(call(3, 1) == 3);
}

void closes_all_descriptors() {
  closes_descriptors({}, sartor::PerfNames::map);
  CHECK(comes_true([] { return compilers().size() <= 2; })); // those of the last runtime
}

// The numbers of the standard streams are the program's, and those of the compiler's sockets differ
// from the usual ones.
void without_standard_streams() {
  for (const int closed : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    expect_good_end(in_child([closed] {
      closefrom(STDERR_FILENO + 1);
      close(closed);
      sartor::Runtime runtime;
      const auto call = runtime.handler<&sum_of_steps>();
      runtime.specialize({{"n", 7}, {"step", 3}});
      CHECK(runtime.statistics().compiles > 0);
      CHECK(call(7, 3) == sum_of_steps(7, 3));
      CHECK(comes_true([closed] { return fcntl(closed, F_GETFD) < 0; }));
    }));
}

} // namespace

int main(int, char **arguments) {
  mark_as_mine();
  const std::map<std::string, void (*)()> cases{
      {"same_results", same_results},
      {"takes_generated_code", takes_generated_code},
      {"is_nobodys_child", is_nobodys_child},
      {"killed_between", killed_between},
      {"killed_again_and_again", killed_again_and_again},
      {"hangs", hangs},
      {"child_of_a_fork", child_of_a_fork},
      {"invariant_memory", invariant_memory},
      {"stays_confined", stays_confined},
      {"closes_all_descriptors", closes_all_descriptors},
      {"without_standard_streams", without_standard_streams},
      {"without_the_program", without_the_program}};
  cases.at(arguments[1])();
  std::puts("all is well");
}
