// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the cost of a guard that passes and of one that fails: ticks per call of a
/// handler with one guard, in a chain of dependent calls. All alternatives run the same loop over
/// keys in memory. Also measures the additional cost of a store to a field with a write guard while
/// no quasi-invariant depends on it, and the costs for the whole process.

#include <random>
#include <stdexcept>

#include <sartor/sartor.hpp>

#include "chain.h"
#include "guard_handler.h"
#include "guard_process.h"
#include "guard_stores.h"
#include "harness.h"

namespace sartor::bench {

const char *const bench_name = "guard";

namespace {

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
