// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the cost of a call through a binding over a direct call of the same code, the
/// memory of many bindings over some thousand contexts, and the time of bind() for a handler that
/// can reach thousands of objects of invariant memory.

#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <malloc.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <sartor/sartor.hpp>

#include "bind_handler.h"
#include "harness.h"

namespace sartor::bench {

const char *const bench_name = "bind";

namespace {

constexpr std::size_t kCalls = 10'000;
constexpr std::size_t kRounds = 101;
constexpr std::size_t kBindings = 10'000;
constexpr std::size_t kContexts = 3'000;
/// Contexts that are bound first, so that the compiler has allocated its permanent state.
constexpr std::size_t kSettled = 500;
constexpr std::uint64_t kKey = 0x1234567;
constexpr std::size_t kPieces = 16'000;
constexpr std::size_t kBindRounds = 9;

/// The code of the binding's variant, written by hand.
[[gnu::noinline]] std::uint64_t hash_by_hand(std::uint64_t, std::uint64_t word, unsigned) {
  std::uint64_t hash = word;
  for (unsigned round = 0; round < 3; ++round)
    hash = (hash ^ kKey) * 0x9E3779B97F4A7C15 + round;
  return hash;
}

template <class Call> std::function<void()> many(Call call) {
  return [call] {
    std::uint64_t word = 1;
    for (std::size_t i = 0; i < kCalls; ++i) {
      keep(word);
      word = call(word);
    }
    keep(word);
  };
}

/// Memory of this process, without free memory of the allocator.
struct Memory {
  double bytes = 0; ///< Resident.
  double mappings = 0;

  static Memory now() {
    malloc_trim(0);
    Memory memory;
    std::ifstream file("/proc/self/smaps_rollup");
    std::string word;
    double kibibytes = 0;
    while (file >> word)
      if (word == "Rss:" && file >> kibibytes)
        memory.bytes = kibibytes * 1024;
    std::ifstream maps("/proc/self/maps");
    while (std::getline(maps, word))
      ++memory.mappings;
    return memory;
  }
};

/// Returns the CPU time of this thread in microseconds. Wall time is not used: the compiling thread
/// that bind() wakes may take this thread's processor before bind() returns.
double microseconds_worked() {
  timespec worked{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &worked);
  return static_cast<double>(worked.tv_sec) * 1e6 + static_cast<double>(worked.tv_nsec) * 1e-3;
}

/// A table with many nodes, each of which is declared invariant separately, and all together as
/// often as requested.
class InvariantTable {
public:
  explicit InvariantTable(std::size_t nodes) : table_(std::make_unique<Table>()) {
    for (std::size_t i = 0; i < nodes; ++i) {
      nodes_.push_back(std::make_unique<Node>());
      const auto key = static_cast<unsigned>(i * 2654435761U);
      Node *&bucket = table_->buckets[key % std::size(table_->buckets)];
      *nodes_.back() = {bucket, key, static_cast<unsigned>(i + 1)};
      bucket = nodes_.back().get();
    }
  }

  void invariant(std::size_t times) {
    invariants_.clear();
    for (std::size_t i = 0; i < times; ++i) {
      Invariant &invariant = invariants_.emplace_back();
      invariant.add_fields(*table_, &Table::buckets);
      for (const auto &node : nodes_)
        invariant.add(node.get(), sizeof(Node));
    }
  }

  Table *table() { return table_.get(); }
  [[nodiscard]] unsigned last_key() const { return nodes_.back()->key; }

private:
  std::unique_ptr<Table> table_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Invariant> invariants_;
};

/// Measures the CPU time of a caller of bind(), in microseconds.
Interval time_to_bind(Runtime &runtime, InvariantTable &declared, std::size_t times) {
  Samples spent;
  for (std::size_t round = 0; round < kBindRounds; ++round) {
    declared.invariant(times);
    const double start = microseconds_worked();
    auto bound = runtime.bind<&look_up>(declared.table(), _);
    spent.push_back(microseconds_worked() - start);
    bound.wait();
    if (bound(declared.last_key()) != kPieces)
      throw std::runtime_error("a binding's result is wrong");
  }
  return median(spent);
}

} // namespace

std::vector<Figure> measure() {
  Runtime runtime;
  auto bound = runtime.bind<&keyed_hash>(kKey, _, 3U);
  bound.wait();
  if (bound(5U) != hash_by_hand(0, 5, 0) || bound(5U) != keyed_hash(kKey, 5, 3))
    throw std::runtime_error("a binding's result is wrong");
  const auto handle = runtime.handler<&keyed_hash>(); // of the generic code: nothing is specialized
  auto *volatile direct = &hash_by_hand;
  auto *volatile native = &keyed_hash;
  const std::vector<Samples> samples = interleave(
      {{"binding", many([bound](std::uint64_t word) { return bound(word); })},
       {"direct", many([&direct](std::uint64_t word) { return direct(kKey, word, 3); })},
       {"handle", many([handle](std::uint64_t word) { return handle(kKey, word, 3); })},
       {"native", many([&native](std::uint64_t word) { return native(kKey, word, 3); })}},
      kRounds);

  using Bound = decltype(bound);
  std::vector<Bound> bindings;
  bindings.reserve(kSettled + kContexts + kBindings);
  const auto bind = [&](std::size_t count, std::uint64_t key) {
    for (std::size_t i = 0; i < count; ++i)
      bindings.push_back(runtime.bind<&keyed_hash>(key + i % kContexts, _, 3U));
    for (const Bound &one : bindings)
      one.wait();
  };
  bind(kSettled, kKey + kContexts + 1);
  const Memory settled = Memory::now();
  const Statistics before = runtime.statistics();
  bind(kContexts, kKey + 1);
  const Statistics after = runtime.statistics();
  const Memory with_contexts = Memory::now();
  bind(kBindings, kKey + 1);
  const Memory with_bindings = Memory::now();
  const double variants = static_cast<double>(after.variants - before.variants);
  const double code = static_cast<double>(after.code_bytes - before.code_bytes) / variants;
  InvariantTable declared(kPieces);
  const Interval once = time_to_bind(runtime, declared, 1);
  const Interval thrice = time_to_bind(runtime, declared, 3);
  std::printf("bind() over %zu pieces of invariant memory: %.0f us, each promised three times: "
              "%.0f us\n",
              kPieces, once.value, thrice.value);
  return {{"binding_call_cycles", "cycles", difference(samples[0], samples[1], kCalls), at_most(5)},
          {"handle_call_cycles", "cycles", difference(samples[2], samples[3], kCalls)},
          {"native_over_binding", "ratio", ratio(samples[3], samples[0])},
          {"bytes_per_variant", "bytes", exactly(code)},
          {"resident_bytes_per_context", "bytes",
           exactly((with_contexts.bytes - settled.bytes) / kContexts), at_most(2048)},
          {"mappings_per_variant", "",
           exactly((with_contexts.mappings - settled.mappings) / variants), at_most(0.1)},
          {"resident_bytes_per_binding", "bytes",
           exactly((with_bindings.bytes - with_contexts.bytes) / kBindings)},
          {"bind_us_16000", "us", once, at_most(100)}};
}

} // namespace sartor::bench
