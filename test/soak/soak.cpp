// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A soak test of all operations at once. Two threads call handlers; others specialize, bind,
/// explore, invalidate, fork, and are cancelled within calls and write guards. The program drops
/// its privileges and closes all descriptors, and its own files reuse their numbers; its children
/// close them again. After a while, the resources of the process must not grow, no result may be
/// wrong, and Sartor must not have written to the program's own files:
///
///     soak SECONDS [results]
///
/// Prints a line a minute. Exits with 1 if a result is wrong or a resource grows (bounds: usage.h).
/// With `results`, growth is permitted, because it occurs under sanitizers.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/sartor.hpp>

#include "../files_of_the_program.h"
#include "handlers.h"
#include "usage.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Counts {
  std::atomic<std::uint64_t> calls, wrong, specialized, bound, broken, explored, forked, refused,
      cancelled;
};
Counts counts;

std::uint64_t plain_squares(std::uint64_t n, std::uint64_t step, std::uint64_t factor) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < n; i += step)
    sum += i * i * factor;
  return sum;
}

std::uint64_t plain_weigh(const Table &table, std::uint64_t x) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < table.count; ++i)
    sum += table.weights[i] * (x + i);
  return sum;
}

void expect(bool right) { counts.wrong += right ? 0 : 1; }

void call(sartor::Runtime &runtime, const std::stop_token &stop, unsigned seed) {
  constexpr std::uint64_t steps[] = {1, 2, 3, 5, 7};
  const auto handler = runtime.handler<&squares>();
  const auto entry = handler.function();
  std::mt19937 random(seed);
  while (!stop.stop_requested()) {
    const std::uint64_t n = random() % 70, step = steps[random() % 5], factor = random() % 4;
    const std::uint64_t expected = plain_squares(n, step, factor);
    expect(handler(n, step, factor) == expected);
    expect(entry(n, step, factor) == expected);
    ++counts.calls;
  }
}

sartor::Configuration any_configuration(std::mt19937 &random) {
  sartor::Configuration configuration;
  if (random() % 3 != 0)
    configuration.set("step", sartor::Value(random() % 3 + 1));
  if (random() % 3 != 0)
    configuration.set("factor", sartor::any_of({sartor::Value(random() % 5), sartor::Value(1)}));
  if (random() % 4 == 0)
    configuration.set("n", sartor::Value(random() % 65));
  if (random() % 2 == 0)
    configuration.set("few", sartor::Value(1));
  return configuration;
}

/// Work that may fail now and then, for example because another thread has ended the invariant.
template <class Work> void tried(const Work &work) {
  try {
    work();
  } catch (const sartor::Error &error) {
    if (counts.refused++ == 0)
      std::fprintf(stderr, "refused: %s\n", error.what());
  }
}

void specialize(sartor::Runtime &runtime, const std::stop_token &stop) {
  std::mt19937 random(3);
  while (!stop.stop_requested()) {
    tried([&] { runtime.specialize(any_configuration(random)); });
    ++counts.specialized;
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 50));
  }
}

/// Creates tables, declares them invariant, binds them, changes them once no code depends on them,
/// and forgets them.
void bind(sartor::Runtime &runtime, const std::stop_token &stop) {
  std::mt19937 random(4);
  while (!stop.stop_requested()) {
    Table table{{random() % 9, random() % 9, 2, 3, 4, 5, 6, 7}, 1 + random() % 7};
    sartor::Invariant invariant(&table, sizeof table);
    const auto bound = runtime.bind<&weigh>(&table, sartor::_);
    ++counts.bound;
    if (random() % 2 == 0)
      tried([&] { bound.wait(); });
    for (std::uint64_t x = 0; x < 50; ++x)
      expect(bound(x) == plain_weigh(table, x));
    invariant.invalidate();
    ++counts.broken;
    table.weights[0] += 100;
    for (std::uint64_t x = 0; x < 50; ++x)
      expect(bound(x) == plain_weigh(table, x));
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 20));
  }
}

void explore(sartor::Runtime &runtime, const std::stop_token &stop) {
  while (!stop.stop_requested()) {
    tried([&] {
      sartor::ExplorerOptions options;
      options.choices = {{"n", {}}, {"few", {}}, {"factor", {1, 2}}};
      options.most_samples = 20;
      sartor::Explorer explorer(runtime, sartor::Objective::rate_of(counts.calls), options);
      explorer.start();
      for (int i = 0; i < 20 && !stop.stop_requested(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    });
    ++counts.explored;
  }
}

/// The exit status of a child; a child that does not end is killed. Its own alarm would not reach
/// it while signals are blocked.
int status_of(pid_t child) {
  int status = 0;
  for (int i = 0; i < 9000; ++i) {
    if (waitpid(child, &status, WNOHANG) == child)
      return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::fprintf(stderr, "a forked child hangs\n");
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return status;
}

/// A thread that calls handlers and writes through a guard until it is cancelled at a random
/// moment.
struct Cancelled {
  Table &table;
  const sartor::QuasiInvariant &quasi_invariant;
  std::function<std::uint64_t(Within)> bound;

  [[noreturn]] void go_on() const {
    for (;;) {
      bound([](Table *) { pthread_testcancel(); });
      {
        const sartor::Write write(quasi_invariant);
        table.count = 1 + (table.count % 7);
        pthread_testcancel();
      }
      pthread_testcancel();
      usleep(100);
    }
  }
};

void *be_cancelled(void *of) { static_cast<const Cancelled *>(of)->go_on(); }

/// Cancels threads within calls and guards; afterwards, the quasi-invariant must become valid
/// again, and results must be correct.
void cancel(sartor::Runtime &runtime, const std::stop_token &stop) {
  std::mt19937 random(6);
  Table table{{0, 1, 2, 3, 4, 5, 6, 7}, 3};
  sartor::QuasiInvariantOptions often;
  often.back_off = std::chrono::milliseconds(1);
  often.longest_back_off = std::chrono::milliseconds(20);
  sartor::QuasiInvariant quasi_invariant("count", often);
  quasi_invariant.add_fields(table, &Table::count);
  const auto bound = runtime.bind<&total>(&table, sartor::_);
  const Cancelled body{table, quasi_invariant, [&](Within within) { return bound(within); }};
  while (!stop.stop_requested()) {
    pthread_t thread{};
    if (pthread_create(&thread, nullptr, be_cancelled, const_cast<Cancelled *>(&body)) != 0)
      continue;
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    pthread_cancel(thread);
    expect(pthread_join(thread, nullptr) == 0);
    ++counts.cancelled;
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < table.count; ++i)
      sum += table.weights[i];
    expect(bound(nullptr) == sum);
    if (counts.cancelled % 16 == 0) {
      expect(quasi_invariant.wait_until_valid(std::chrono::seconds(90)));
      expect(bound(nullptr) == sum);
    }
  }
}

bool squares_are_right(sartor::Runtime &runtime) {
  const auto handler = runtime.handler<&squares>();
  for (std::uint64_t n = 0; n < 70; ++n)
    if (handler(n, 1 + n % 4, n % 5) != plain_squares(n, 1 + n % 4, n % 5))
      return false;
  return true;
}

/// The work of a child in addition to calls: it specializes, binds, and invalidates an invariant of
/// its own.
bool specialized_is_right(sartor::Runtime &runtime, std::mt19937 &random) {
  tried([&] { runtime.specialize(any_configuration(random)); });
  Table table{{random() % 9, 1, 2, 3, 4, 5, 6, 7}, 1 + random() % 7};
  sartor::Invariant invariant(&table, sizeof table);
  const auto bound = runtime.bind<&weigh>(&table, sartor::_);
  tried([&] { bound.wait(); });
  const bool is_right = bound(5) == plain_weigh(table, 5);
  invariant.invalidate();
  table.weights[0] += 100;
  return is_right && bound(5) == plain_weigh(table, 5) && squares_are_right(runtime);
}

/// A child that is a daemon: it closes all descriptors, including its parent's log, and opens files
/// with the same descriptor numbers.
bool is_right_without_descriptors(sartor::Runtime &runtime, std::mt19937 &random, int turn) {
  const FilesOfTheProgram own(STDERR_FILENO + 1, turn);
  return specialized_is_right(runtime, random) && own.are_untouched();
}

/// All children call handlers, every other one also specializes, and they end in both ways.
void fork_now_and_then(sartor::Runtime &runtime, const std::stop_token &stop) {
  std::mt19937 random(5);
  for (unsigned forked = 0; !stop.stop_requested(); ++forked) {
    const auto seed = static_cast<unsigned>(random());
    const pid_t child = fork();
    if (child == 0) {
      std::mt19937 own(seed);
      const bool is_right =
          squares_are_right(runtime) &&
          (forked % 2 == 0 || (forked % 4 == 1 ? specialized_is_right(runtime, own)
                                               : is_right_without_descriptors(
                                                     runtime, own, static_cast<int>(forked))));
      if (forked % 4 < 2)
        _exit(is_right ? 0 : 1);
      std::exit(is_right ? 0 : 1); // NOLINT(concurrency-mt-unsafe): the child's only thread
    }
    expect(status_of(child) == 0);
    ++counts.forked;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

void print(const Usage &usage, const sartor::Statistics &statistics) {
  std::printf("%8.0f %12.0f %9.0f %8.0f %6.0f %12lu %9lu %9lu %7lu %7lu %8lu %6lu\n", usage.seconds,
              usage.held[0], usage.held[1], usage.held[2], usage.held[3], counts.calls.load(),
              static_cast<unsigned long>(statistics.compiles), counts.bound.load(),
              counts.broken.load(), counts.explored.load(), counts.forked.load(),
              counts.wrong.load());
  std::fflush(stdout);
}

/// Samples after the first third, when all caches are full. Time in which the machine stopped does
/// not count: it would leave few samples, whose slopes say nothing.
std::vector<Usage> watch(sartor::Runtime &runtime, double seconds) {
  const std::chrono::milliseconds period(seconds > 100 ? 1000 : 200);
  auto last = Clock::now();
  std::vector<Usage> readings;
  double printed = 0;
  std::printf("%8s %12s %9s %8s %6s %12s %9s %9s %7s %7s %8s %6s\n", "seconds", Usage::names[0],
              Usage::names[1], Usage::names[2], Usage::names[3], "calls", "compiles", "bound",
              "broken", "explored", "forked", "wrong");
  std::fflush(stdout); // otherwise children print it again
  for (double now = 0; now < seconds;) {
    std::this_thread::sleep_for(period);
    const auto before = std::exchange(last, Clock::now());
    const Clock::duration passed = std::min<Clock::duration>(last - before, 2 * period);
    now += std::chrono::duration<double>(passed).count();
    const Usage usage = Usage::now(now);
    if (now > seconds / 3)
      readings.push_back(usage);
    if (now - printed >= 60 || now >= seconds) {
      print(usage, runtime.statistics());
      printed = now;
    }
  }
  return readings;
}

/// The directory of the event log; it belongs to the user whose rights the program takes on.
class Folder {
public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "sartor-soak-XXXXXX";
    path = mkdtemp(name.data());
  }
  ~Folder() {
    if (getpid() != process_)
      return;
    std::error_code ignored;
    std::filesystem::remove(path / "events", ignored);
    std::filesystem::remove(path, ignored);
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  std::filesystem::path path;

private:
  pid_t process_ = getpid();
};

/// As a daemon does after the steps that need root.
void drop_privileges(const Folder &folder, const FilesOfTheProgram &own) {
  constexpr uid_t somebody = 65534;
  if (geteuid() == 0) {
    for (const auto &each : {folder.path, folder.path / "events"})
      if (chown(each.c_str(), somebody, somebody) != 0)
        throw std::runtime_error("no file can be given away");
    if (!own.give_to(somebody) || setgid(somebody) != 0 || setuid(somebody) != 0)
      throw std::runtime_error("the privileges are not dropped");
  }
  prctl(PR_SET_DUMPABLE, 0);
}

int soak(double seconds, bool results_only) {
  const Folder folder;
  sartor::Options options;
  options.event_log = folder.path / "events";
  options.code_cache_bytes = 512U << 10; // room for some sixteen variants: soon full
  sartor::Runtime runtime(options);
  runtime.specialize({{"factor", 3}});     // loads everything from files that only root may read
  while (runtime.statistics().waiting > 0) // no thread of Sartor opens a file at that time
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const FilesOfTheProgram own;
  runtime.specialize({{"factor", 4}}); // the log is opened again
  drop_privileges(folder, own);
  const auto logged = std::filesystem::file_size(folder.path / "events");
  std::vector<Usage> readings;
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&](const std::stop_token &stop) { call(runtime, stop, 1); });
    threads.emplace_back([&](const std::stop_token &stop) { call(runtime, stop, 2); });
    threads.emplace_back([&](const std::stop_token &stop) { specialize(runtime, stop); });
    threads.emplace_back([&](const std::stop_token &stop) { bind(runtime, stop); });
    threads.emplace_back([&](const std::stop_token &stop) { explore(runtime, stop); });
    threads.emplace_back([&](const std::stop_token &stop) { cancel(runtime, stop); });
    threads.emplace_back([&](const std::stop_token &stop) { fork_now_and_then(runtime, stop); });
    readings = watch(runtime, seconds);
  }
  expect(own.are_untouched());
  expect(std::filesystem::file_size(folder.path / "events") > logged);
  const std::string growing = results_only ? "" : not_flat(readings);
  std::printf("specialized %lu times, refused %lu, cancelled %lu threads\n",
              counts.specialized.load(), counts.refused.load(), counts.cancelled.load());
  for (std::size_t which = 0; which < bounds.size(); ++which)
    std::printf("%s: %+.2f a minute\n", Usage::names[which], growth_per_minute(readings, which));
  if (!growing.empty())
    std::printf("%s\n", growing.c_str());
  if (counts.wrong != 0)
    std::printf("wrong results: %lu\n", counts.wrong.load());
  return growing.empty() && counts.wrong == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return soak(argc > 1 ? std::strtod(argv[1], nullptr) : 20, argc > 2);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
