// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Runs the named case of Sartor embedded in a process that exits, jumps, switches stacks and
/// limits resources.

#include <csetjmp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <sartor/c/sartor.h>
#include <sartor/sartor.hpp>

#include "check.h"
#include "handlers.h"

using namespace std::chrono_literals;

namespace {

int pipes[2];
std::atomic<int> inside = 0;

long wait_for_byte(long n) {
  ++inside;
  char byte = 0;
  return read(pipes[0], &byte, 1) == 1 ? n : -1;
}

/// A thread that stays in a handler until a byte is written.
std::thread blocked_thread(sartor::Runtime &runtime) {
  if (pipes[1] == 0)
    CHECK(pipe(pipes) == 0);
  const int before = inside;
  std::thread thread([call = runtime.handler<&through>()] { call(1, wait_for_byte); });
  while (inside == before)
    std::this_thread::sleep_for(1ms);
  return thread;
}

void unblock(std::thread &thread) {
  CHECK(write(pipes[1], "x", 1) == 1);
  thread.join();
}

void wait_until_released(sartor::Runtime &runtime) {
  while (runtime.statistics().waiting > 0)
    std::this_thread::sleep_for(1ms);
}

struct ThreadSeen {
  std::string name;
  std::uint64_t blocked = 0;
};

std::vector<ThreadSeen> threads_seen() {
  std::vector<ThreadSeen> seen;
  for (const auto &task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    ThreadSeen one;
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("Name:\t"))
        one.name = line.substr(6);
      if (line.starts_with("SigBlk:\t"))
        one.blocked = std::stoull(line.substr(8), nullptr, 16);
    }
    seen.push_back(std::move(one));
  }
  return seen;
}

// Threads

void threads() {
  sartor::Options options;
  options.event_log = fresh_file("sartor_threads");
  {
    const sartor::Runtime one(options);
    sartor::Runtime other;
    (void)other.handler<&scale>()(3, 2);
    CHECK(threads_seen().size() == 1);
  }
  CHECK(threads_seen().size() == 1);
  sartor::Runtime runtime(options);
  runtime.specialize({{"m", 2}});
  runtime.specialize({});
  sartor::Runtime another;
  another.specialize({{"m", 3}});
  std::set<std::string> names;
  std::size_t ours = 0; // a sanitizer may have a thread of its own, without a name
  for (const ThreadSeen &thread : threads_seen()) {
    ours += thread.name.starts_with("sartor-") ? 1 : 0;
    if (!names.insert(thread.name).second || thread.name.starts_with("life_program"))
      continue;
    CHECK(thread.name.starts_with("sartor-"));
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGCHLD, SIGALRM, SIGPROF})
      CHECK(thread.blocked >> (signal - 1) & 1);
  }
  CHECK(names.contains("sartor-quick"));
  CHECK(names.contains("sartor-full"));
  CHECK(names.size() == ours + 1); // one thread of each kind for two runtimes, and the program's
}

void signals_are_the_programs() {
  sartor::Runtime runtime;
  runtime.specialize({{"m", 2}});
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  kill(getpid(), SIGTERM);
  int got = 0;
  sigwait(&set, &got);
  CHECK(got == SIGTERM);
}

// Exit

void exit_inside() {
  static sartor::Runtime runtime;
  runtime.specialize({{"m", 2}});
  blocked_thread(runtime).detach();
  runtime.specialize({});
}

void exit_of_another_thread() {
  static sartor::Runtime runtime;
  runtime.specialize({{"m", 2}});
  blocked_thread(runtime).detach();
  std::puts("all is well");
  std::fflush(stdout);
  std::thread([] { std::exit(0); }).join();
}

void exit_while_calling() {
  static sartor::Runtime runtime;
  for (int i = 0; i < 3; ++i)
    std::thread([call = runtime.handler<&scale>()] {
      for (long x = 0;; ++x)
        CHECK(call(x, 2) == 2 * x);
    }).detach();
  for (int m = 1; m < 4; ++m)
    runtime.specialize({{"m", m}});
  (void)runtime.specialize_async({{"m", 9}});
}

void exit_exploring() {
  static sartor::Runtime runtime;
  static std::atomic<bool> asked = false;
  sartor::ExplorerOptions how;
  how.choices = {{"m", {2, 3}}};
  static auto explorer = sartor::autotune(runtime,
                                          sartor::Objective::value_of(
                                              [] {
                                                asked = true;
                                                for (;;)
                                                  pause();
                                                return 1.0;
                                              },
                                              sartor::Objective::Direction::higher_is_better),
                                          how);
  while (!asked)
    std::this_thread::sleep_for(1ms);
}

// Calls that do not return

void blocked_call() {
  const auto log = fresh_file("sartor_blocked");
  sartor::Options options;
  options.event_log = log;
  sartor::Runtime runtime(options);
  auto blocked = blocked_thread(runtime);
  static long memory[3] = {1, 2, 3};
  sartor::Invariant unused(memory, sizeof memory);
  unused.invalidate(); // no code depends on it
  runtime.specialize({{"m", 2}});
  runtime.specialize({});
  CHECK(runtime.statistics().waiting > 0);
  sartor::Invariant used(memory, sizeof memory);
  const auto bound = runtime.bind<&sum_of>(memory, 3);
  bound.wait();
  std::atomic<bool> done = false;
  std::thread invalidates([&] {
    used.invalidate();
    done = true;
  });
  while (content_of(log).find("\"event\":\"stalled\"") == std::string::npos)
    std::this_thread::sleep_for(10ms);
  CHECK(!done); // a thread may be inside
  unblock(blocked);
  invalidates.join();
  wait_until_released(runtime);
}

// longjmp

std::jmp_buf way_out;

long jumps(long) { std::longjmp(way_out, 1); }

[[gnu::noinline]] void jump_out(long (*function)(long, long (*)(long))) {
  if (setjmp(way_out) == 0)
    function(1, jumps);
}

sartor::Handler<long(long, long (*)(long))> *through_handle = nullptr;

[[gnu::noinline]] void jump_out_of_handle() {
  if (setjmp(way_out) == 0)
    (*through_handle)(1, jumps);
}

long jumps_within(long n) {
  jump_out_of_handle();
  return n;
}

void invalidate_one(sartor::Runtime &runtime) {
  static long memory[3] = {1, 2, 3};
  sartor::Invariant invariant(memory, sizeof memory);
  const auto bound = runtime.bind<&sum_of>(memory, 3);
  bound.wait();
  CHECK(bound() == 6);
  invariant.invalidate();
}

long invalidates_within(long n) {
  sartor::Invariant invariant(&n, sizeof n);
  try {
    invariant.invalidate();
  } catch (const sartor::Error &error) {
    CHECK(error.code() == sartor::ErrorCode::called_from_handler);
    return n;
  }
  return -1;
}

void longjmp_out() {
  sartor::Runtime runtime;
  auto handle = runtime.handler<&through>();
  through_handle = &handle;
  for (int round = 0; round < 3; ++round) {
    jump_out(handle.function());
    invalidate_one(runtime);
    jump_out_of_handle();
    invalidate_one(runtime);
    CHECK(handle(7, jumps_within) == 7);
    invalidate_one(runtime);
    CHECK(handle(7, invalidates_within) == 7);
    CHECK(handle.function()(7, invalidates_within) == 7);
    invalidate_one(runtime);
  }
  // A thread that never waits itself is corrected by its next call.
  std::atomic<bool> jumped = false;
  std::atomic<bool> ends = false;
  std::thread other([&] {
    jump_out_of_handle();
    jumped = true;
    while (!ends)
      jump_out_of_handle(), handle(1, [](long n) { return n; });
  });
  while (!jumped)
    std::this_thread::sleep_for(1ms);
  invalidate_one(runtime);
  runtime.specialize({{"m", 2}});
  runtime.specialize({});
  ends = true;
  other.join();
  wait_until_released(runtime);
}

void longjmp_in_c() {
  sartor_runtime *runtime = nullptr;
  CHECK(sartor_open(&runtime) == SARTOR_OK);
  void (*function)() = nullptr;
  CHECK(sartor_handler(runtime, "through", &function) == SARTOR_OK);
  static long memory[2] = {1, 2};
  for (int round = 0; round < 3; ++round) {
    sartor_invariant *invariant = nullptr;
    CHECK(sartor_invariant_declare(memory, sizeof memory, &invariant) == SARTOR_OK);
    jump_out(reinterpret_cast<long (*)(long, long (*)(long))>(function));
    CHECK(sartor_invalidate(invariant) == SARTOR_OK);
  }
  sartor_close(runtime);
}

// Frames on other stacks than the thread's own are not taken for frames that have ended.

ucontext_t main_context;
ucontext_t fiber_context;

long yields_to_main(long n) {
  swapcontext(&fiber_context, &main_context);
  return n;
}

void fiber_body() { (*through_handle)(3, yields_to_main); }

long resumes_fiber(long n) {
  swapcontext(&main_context, &fiber_context);
  return n;
}

void fibers() {
  sartor::Runtime runtime;
  auto handle = runtime.handler<&through>();
  through_handle = &handle;
  runtime.specialize({{"n", 3}});
  for (const bool from_within : {false, true}) {
    std::vector<char> stack(256U << 10);
    getcontext(&fiber_context);
    fiber_context.uc_stack.ss_sp = stack.data();
    fiber_context.uc_stack.ss_size = stack.size();
    fiber_context.uc_link = &main_context;
    makecontext(&fiber_context, fiber_body, 0);
    if (from_within)
      handle(1, resumes_fiber);
    else
      resumes_fiber(1);
    // The fiber is inside the handler; calls on this stack must not end that.
    for (int i = 0; i < 3; ++i)
      handle(1, [](long n) { return n; });
    runtime.specialize({});
    std::this_thread::sleep_for(30ms);
    CHECK(runtime.statistics().waiting > 0);
    resumes_fiber(1);
    handle(1, [](long n) { return n; });
    wait_until_released(runtime);
    runtime.specialize({{"n", 3}});
  }
}

// Uses the whole interface on a stack of the program's own, of which only the size is known.
void use_all_on_a_fiber() {
  sartor::Runtime runtime;
  auto handle = runtime.handler<&scale>();
  runtime.specialize({{"m", 3}});
  CHECK(handle(7, 3) == scale(7, 3));
  static const long values[] = {1, 2, 3};
  const sartor::Invariant invariant(values, sizeof values);
  auto bound = runtime.bind<&sum_of>(values, sartor::_);
  bound.wait();
  CHECK(bound(3) == 6);
  CHECK(runtime.space().find("m"));
  runtime.instrument({{"m", 1}});
  handle(7, 3);
  CHECK(runtime.profile() != sartor::Profile());
  runtime.specialize({});
  setcontext(&main_context);
}

void small_stacks() {
  for (const std::size_t bytes : {16U << 10, 32U << 10, 64U << 10}) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      std::vector<char> stack(bytes);
      getcontext(&fiber_context);
      fiber_context.uc_stack.ss_sp = stack.data();
      fiber_context.uc_stack.ss_size = stack.size();
      fiber_context.uc_link = nullptr;
      makecontext(&fiber_context, use_all_on_a_fiber, 0);
      swapcontext(&main_context, &fiber_context);
      std::_Exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0)
      std::fprintf(stderr, "a stack of %zu bytes: status %d\n", bytes, status);
    CHECK(status == 0);
  }
}

std::atomic<int> handled = 0;

void on_signal(int) {
  (*through_handle)(2, [](long n) { return n; });
  ++handled;
}

void signal_stack() {
  sartor::Runtime runtime;
  auto handle = runtime.handler<&through>();
  through_handle = &handle;
  runtime.specialize({{"n", 3}});
  static char memory[1U << 16];
  const stack_t stack{.ss_sp = memory, .ss_flags = 0, .ss_size = sizeof memory};
  CHECK(sigaltstack(&stack, nullptr) == 0);
  struct sigaction action{};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  CHECK(sigaction(SIGUSR1, &action, nullptr) == 0);
  handle(3, [](long n) {
    for (int i = 0; i < 3; ++i)
      raise(SIGUSR1);
    through_handle->operator()(4, [](long inner) { return inner; });
    return n;
  });
  CHECK(handled == 3);
  runtime.specialize({});
  wait_until_released(runtime);
}

// Resource limits

void forbid(const std::vector<std::uint32_t> &calls, std::uint32_t error) {
  std::vector<sock_filter> program{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
  for (const std::uint32_t call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0);
}

void calls_and_switches() {
  sartor::Runtime runtime;
  auto handle = runtime.handler<&through>();
  through_handle = &handle;
  std::jthread caller([call = runtime.handler<&scale>()](const std::stop_token &stop) {
    for (long x = 0; !stop.stop_requested(); ++x)
      CHECK(call(x, 2) == 2 * x);
  });
  for (int round = 0; round < 5; ++round) {
    runtime.specialize({{"m", 2 + round}});
    invalidate_one(runtime);
    CHECK(handle(7, invalidates_within) == 7);
    CHECK(handle.function()(7, invalidates_within) == 7);
    jump_out_of_handle();
    jump_out(handle.function());
    CHECK(handle(7, jumps_within) == 7);
    invalidate_one(runtime);
  }
  caller.request_stop();
  caller.join();
  runtime.specialize({});
  wait_until_released(runtime);
}

void without_membarrier(char **arguments) {
  forbid({__NR_membarrier}, ENOSYS);
  static char name[] = "calls_and_switches"; // runs in a process that never had membarrier()
  arguments[1] = name;
  execv("/proc/self/exe", arguments);
  CHECK(false);
}

void membarrier_goes() {
  sartor::Runtime runtime;
  runtime.specialize({{"m", 2}});
  forbid({__NR_membarrier}, EPERM);
  calls_and_switches();
}

void no_more_threads() {
  sartor::Runtime runtime;
  const auto call = runtime.handler<&scale>();
  forbid({__NR_clone, __NR_clone3}, EAGAIN);
  for (int i = 0; i < 2; ++i)
    try {
      runtime.specialize({{"m", 2}});
      CHECK(false);
    } catch (const sartor::Error &error) {
      CHECK(error.code() == sartor::ErrorCode::no_thread);
    }
  try {
    (void)call.function();
    CHECK(false);
  } catch (const sartor::Error &error) {
    CHECK(error.code() == sartor::ErrorCode::no_thread);
  }
  try {
    runtime.bind<&sum_of>(sartor::_, 3).wait();
    CHECK(false);
  } catch (const sartor::Error &error) {
    CHECK(error.code() == sartor::ErrorCode::no_thread);
  }
  CHECK(call(3, 2) == 6);
}

void little_memory() {
  sartor::Runtime runtime;
  const auto call = runtime.handler<&scale>();
  runtime.specialize({{"m", 2}});
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  for (std::size_t more = 0; more < (24U << 20); more += 3U << 20) {
    const rlim_t bytes = pages * 4096 + more;
    const rlimit limit{bytes, RLIM_INFINITY};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    for (int m = 3; m < 6; ++m)
      try {
        runtime.specialize({{"m", static_cast<int>(more >> 20) + m}});
      } catch (const sartor::Error &) {
      } catch (const std::bad_alloc &) {
      }
    CHECK(call(3, 2) == 6);
  }
}

/// Opens a runtime in a child whose address space may grow by `more` bytes; returns the exit
/// status. Failures must be errors; the child then exits normally.
int status_of_child_within(std::size_t more) {
  const pid_t child = fork();
  if (child == 0) {
    std::ifstream file("/proc/self/statm");
    std::size_t pages = 0;
    file >> pages;
    const rlimit limit{pages * 4096 + more, RLIM_INFINITY};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    try {
      sartor::Runtime runtime;
      const auto call = runtime.handler<&scale>();
      for (int m = 3; m < 7; ++m)
        try {
          runtime.specialize({{"m", m}});
        } catch (const std::exception &) {
          CHECK(call(3, 2) == 6);
        }
      CHECK(call(3, 2) == 6);
    } catch (const std::exception &) {
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

void little_memory_from_the_beginning() {
  for (std::size_t more = 4U << 20; more < (260U << 20); more += 11U << 20) {
    const int status = status_of_child_within(more);
    if (status != 0)
      std::fprintf(stderr, "with %zu MiB more: status %d\n", more >> 20, status);
    CHECK(status == 0);
  }
}

// Bindings

void dropped_bindings() {
  sartor::Runtime runtime;
  for (int i = 0; i < 200; ++i)
    (void)runtime.bind<&sum_of>(sartor::_, i);
  runtime.bind<&sum_of>(sartor::_, 777).wait();
  CHECK(runtime.statistics().compiles < 50);
}

// Libraries

void library_is_closed(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  if (!library) {
    std::puts(dlerror());
    _exit(1);
  }
  auto *call = reinterpret_cast<long (*(*)())(long, long)>(dlsym(library, "function_of_library"))();
  CHECK(call(3, 5) == 15);
  CHECK(dlclose(library) == 0);
  CHECK(call(3, 5) == 15);
  CHECK(call(3, 4) == 12);
}

} // namespace

int main(int, char **arguments) {
  const std::map<std::string, std::function<void()>> cases{
      {"threads", threads},
      {"signals_are_the_programs", signals_are_the_programs},
      {"exit_inside", exit_inside},
      {"exit_of_another_thread", exit_of_another_thread},
      {"exit_while_calling", exit_while_calling},
      {"exit_exploring", exit_exploring},
      {"blocked_call", blocked_call},
      {"longjmp_out", longjmp_out},
      {"longjmp_in_c", longjmp_in_c},
      {"fibers", fibers},
      {"small_stacks", small_stacks},
      {"signal_stack", signal_stack},
      {"calls_and_switches", calls_and_switches},
      {"without_membarrier", [&] { without_membarrier(arguments); }},
      {"membarrier_goes", membarrier_goes},
      {"no_more_threads", no_more_threads},
      {"little_memory", little_memory},
      {"little_memory_from_the_beginning", little_memory_from_the_beginning},
      {"dropped_bindings", dropped_bindings},
      {"library_is_closed", [&] { library_is_closed(arguments[2]); }}};
  cases.at(arguments[1])();
  std::puts("all is well");
}
