// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the cost of a guard that passes and of one that fails: ticks per call of a
/// handler with one guard, in a chain of dependent calls. All alternatives run the same loop over
/// keys in memory. Also measures the additional cost of a store to a field with a write guard while
/// no quasi-invariant depends on it, and the costs for the whole process.

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/quasi_invariant.hpp>
#include <sartor/sartor.hpp>

#include "chain.h"
#include "figures.h"
#include "guard_handler.h"
#include "guard_stores.h"
#include "harness.h"
#include "resident.h"

namespace sartor::bench {

const char *const bench_name = "guard";

namespace {

// The costs of quasi-invariants and variants for their process. Each is measured in children of the
// calling process, which must not have a Runtime yet.

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Runs `measure` in a separate process and returns its result.
Samples in_child(const std::function<Samples()> &measure) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0)
    throw std::runtime_error("there is no pipe");
  const pid_t child = fork();
  if (child == 0) {
    const Samples samples = measure();
    const std::size_t bytes = samples.size() * sizeof(double);
    _exit(write(ends[1], samples.data(), bytes) == static_cast<ssize_t>(bytes) ? 0 : 1);
  }
  close(ends[1]);
  Samples samples;
  double sample = 0;
  while (read(ends[0], &sample, sizeof sample) == sizeof sample)
    samples.push_back(sample);
  close(ends[0]);
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0 || samples.empty())
    throw std::runtime_error("a child that measures has failed");
  return samples;
}

[[gnu::noinline]] void throws(std::size_t what) { throw what; }

/// Returns the seconds of two threads that throw exceptions.
double time_of_throws() {
  constexpr std::size_t kThrows = 30'000;
  std::barrier all(3);
  std::array<std::thread, 2> threads;
  for (std::thread &thread : threads)
    thread = std::thread([&] {
      all.arrive_and_wait();
      for (std::size_t i = 0; i < kThrows; ++i)
        try {
          throws(i);
        } catch (std::size_t what) {
          keep(what);
        }
    });
  all.arrive_and_wait();
  const auto begin = Clock::now();
  for (std::thread &thread : threads)
    thread.join();
  return seconds_since(begin);
}

constexpr auto kPatience = 20s;

void holds(const QuasiInvariant &quasi_invariant) {
  if (!quasi_invariant.wait_until_valid(kPatience))
    throw std::runtime_error("a quasi-invariant does not come to hold");
}

QuasiInvariantOptions restless() {
  QuasiInvariantOptions options;
  options.back_off = 1ms;
  options.longest_back_off = 1ms;
  return options;
}

/// Measures the exceptions that two threads throw in a given time with one variant active, as a
/// share of those in a process without a variant.
Interval throws_two_threads_over_one() {
  constexpr std::size_t kRounds = 151;
  Samples without;
  Samples with;
  for (std::size_t i = 0; i < kRounds; ++i)
    for (const bool has_variant : {i % 2 == 0, i % 2 != 0}) {
      const auto measure = [&]() -> Samples {
        std::optional<Runtime> runtime;
        if (has_variant)
          runtime.emplace().specialize({{"K", 3}});
        std::this_thread::sleep_for(100ms); // until its threads are idle
        return {time_of_throws()};
      };
      (has_variant ? with : without).push_back(in_child(measure).front());
    }
  return ratio(without, with);
}

/// Measures the microseconds per MiB to declare an object whose pages are claimed.
Interval protect_us_per_mib(std::size_t mib) {
  const std::size_t bytes = mib << 20U;
  return median(in_child([&] {
    Samples samples;
    for (std::size_t i = 0; i < 11; ++i) {
      void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
      QuasiInvariantOptions options;
      options.protect_pages = true;
      QuasiInvariant quasi_invariant("large", options);
      const auto begin = Clock::now();
      quasi_invariant.add(memory, bytes);
      samples.push_back(seconds_since(begin) * 1e6 / static_cast<double>(mib));
    }
    return samples;
  }));
}

/// Measures the milliseconds of fork() with `quasi_invariants` quasi-invariants, and four threads
/// that write through their write guards.
Interval fork_ms(std::size_t quasi_invariants) {
  return median(in_child([&] {
    // Static: writers run until the process ends.
    static std::vector<std::uint64_t> values(quasi_invariants);
    static std::vector<std::unique_ptr<QuasiInvariant>> declared;
    for (std::uint64_t &value : values) {
      declared.push_back(std::make_unique<QuasiInvariant>("value", restless()));
      declared.back()->add(&value, sizeof value);
    }
    constexpr std::size_t kWriters = 4;
    for (std::size_t writer = 0; writer < kWriters; ++writer)
      std::thread([writer] {
        for (;;)
          for (std::size_t i = writer; i < declared.size(); i += kWriters) {
            const Write write(*declared[i]);
            ++values[i];
          }
      }).detach();
    std::this_thread::sleep_for(500ms);
    Samples samples;
    for (std::size_t i = 0; i < 101; ++i) {
      const auto begin = Clock::now();
      const pid_t child = fork();
      if (child == 0)
        _exit(0);
      samples.push_back(seconds_since(begin) * 1e3);
      waitpid(child, nullptr, 0);
      std::this_thread::sleep_for(20ms);
    }
    return samples;
  }));
}

/// Measures the growth of the process per invalidation, while one thread is in a blocking section.
Interval growth_bytes_per_invalidation() {
  return median(in_child([] {
    // Static: a thread stays in a blocking section until the process ends.
    static Runtime runtime;
    static Counted counted;
    static QuasiInvariant quasi_invariant("limit", restless());
    quasi_invariant.add_fields(counted, &Counted::limit);
    auto *object = &counted;
    const auto call = runtime.bind<&count_up_to>(object, _);
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0)
      return Samples{};
    static const auto waits = runtime.bind<&wait_for_byte>(ends[0]);
    call.wait();
    waits.wait();
    std::thread([] { waits(); }).detach();
    std::atomic<bool> stops = false;
    std::thread caller([&] {
      for (std::uint64_t i = 0; !stops; ++i) {
        std::uint64_t result = call(i);
        keep(result);
      }
    });
    const auto invalidate = [](std::size_t times) {
      for (std::size_t i = 0; i < times; ++i) {
        holds(quasi_invariant);
        const Write write(quasi_invariant);
        counted.limit = i % 2;
      }
    };
    invalidate(1'000); // until the allocator has reached its final size
    Samples samples;
    for (std::size_t round = 0; round < 7; ++round) {
      const double before = resident_bytes();
      invalidate(1'000);
      samples.push_back((resident_bytes() - before) / 1'000);
    }
    stops = true;
    caller.join();
    return samples;
  }));
}

constexpr std::size_t kCalls = 10'000;
constexpr std::size_t kRounds = 301;
constexpr std::uint64_t kKey = 3;      // the variants are made for this key
constexpr std::uint64_t kOtherKey = 5; // makes their guards fail

std::vector<std::uint64_t> mixed_keys() {
  std::mt19937_64 random(3); // NOLINT(*-random-generator-seed): runs can be repeated
  std::vector<std::uint64_t> keys(kCalls);
  for (std::uint64_t &key : keys)
    key = random() % 2 == 0 ? kKey : kOtherKey;
  return keys;
}

} // namespace

std::vector<Figure> measure() {
  const std::vector<Figure> of_process = {
      {"throws_two_threads_over_one", "ratio", throws_two_threads_over_one(), at_least(0.98)},
      {"protect_us_per_mib_16", "us", protect_us_per_mib(16), at_most(300)},
      {"protect_us_per_mib_128", "us", protect_us_per_mib(128), at_most(300)},
      {"fork_ms_20000", "ms", fork_ms(20'000), at_most(20)},
      {"growth_bytes_per_invalidation", "bytes", growth_bytes_per_invalidation(), no_more_than(0)},
  };
  Runtime generic_runtime;
  Runtime guarded_runtime;
  Runtime unguarded_runtime;
  guarded_runtime.specialize({{"K", kKey}});
  unguarded_runtime.specialize({{"K", unguarded(kKey)}});
  const auto generic = generic_runtime.handler<&step>();
  const auto guarded = guarded_runtime.handler<&step>();
  const auto unguarded = unguarded_runtime.handler<&step>();

  const std::vector<std::uint64_t> same(kCalls, kKey);
  const std::vector<std::uint64_t> other(kCalls, kOtherKey);
  const std::vector<std::uint64_t> mixed = mixed_keys();
  if (chain(guarded, same) != chain(generic, same) ||
      chain(unguarded, same) != chain(generic, same) ||
      chain(guarded, other) != chain(generic, other) ||
      chain(guarded, mixed) != chain(generic, mixed))
    throw std::runtime_error("a variant's result is wrong");

  const auto run = [](const auto &handler, const std::vector<std::uint64_t> &keys) {
    return [&handler, &keys] {
      std::uint64_t result = chain(handler, keys);
      keep(result);
    };
  };
  std::vector<PlainRecord> plain_records(kKey + 1);
  std::vector<WatchedRecord> watched_records(kKey + 1);
  const auto storing = [](auto &records) {
    return [&record = records.front()](std::uint64_t state, std::uint64_t key) {
      return step_and_store(record, state, key);
    };
  };
  const auto watched = storing(watched_records);
  const auto plain = storing(plain_records);
  const auto samples = interleave({{"passing", run(guarded, same)},
                                   {"unguarded", run(unguarded, same)},
                                   {"failing", run(guarded, other)},
                                   {"generic", run(generic, other)},
                                   {"mixed", run(guarded, mixed)},
                                   {"generic, mixed", run(generic, mixed)},
                                   {"watched store", run(watched, same)},
                                   {"plain store", run(plain, same)},
                                   {"watched stores", [&] { store_all(watched_records, same); }},
                                   {"plain stores", [&] { store_all(plain_records, same); }}},
                                  kRounds);
  std::vector<Figure> figures = {
      {"guard_pass_cycles", "cycles", difference(samples[0], samples[1], kCalls), at_most(1), 1},
      {"guard_fail_cycles", "cycles", difference(samples[2], samples[3], kCalls), at_most(40),
       5000},
      // Half of the calls fail, unpredictably: the cost per failing call.
      {"guard_fail_unpredicted_cycles", "cycles", difference(samples[4], samples[5], kCalls / 2.0)},
      {"watched_store_cycles", "cycles", difference(samples[6], samples[7], kCalls), at_most(0.5)},
      // The same in a loop that only stores.
      {"watched_store_alone_cycles", "cycles", difference(samples[8], samples[9], kCalls),
       at_most(1)},
  };
  figures.insert(figures.end(), of_process.begin(), of_process.end());
  return figures;
}

} // namespace sartor::bench
