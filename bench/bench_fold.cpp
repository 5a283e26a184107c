// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the gain of folding invariant memory: rules in a list and in an array that are
/// matched against addresses, and an interpreter that runs a program. Compares generic code, folded
/// code, and straight-line code written by hand, in ticks per address, in batches. The figures with
/// goals repeat one input that matches no rule, which takes the whole walk. "mixed" figures use
/// inputs that match a random rule: mispredicted branches dominate there, also for hand-written
/// code.

#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>

#include <sartor/sartor.hpp>

#include "fold_program.h"
#include "harness.h"

namespace sartor::bench {

const char *const bench_name = "fold";

namespace {

constexpr std::size_t kCalls = 4'000;
constexpr std::size_t kRounds = 201;

/// Makes addresses that match all rules equally often; one in eight matches none.
std::vector<std::uint32_t> make_addresses(const Rule *rules, std::size_t count) {
  std::vector<std::uint32_t> addresses;
  for (std::size_t i = 0; i < kCalls; ++i) {
    const std::uint64_t random = scramble(i + 12345);
    const Rule &rule = rules[random % count];
    const auto host = static_cast<std::uint32_t>(random >> 32U);
    addresses.push_back(random / count % 8 == 0 ? host : rule.net | (host & ~rule.mask));
  }
  return addresses;
}

/// Returns copies of one address that matches no rule.
std::vector<std::uint32_t> same_address() { return std::vector<std::uint32_t>(kCalls, 1); }

/// The handlers' data, all of which is declared invariant.
struct Data {
  std::vector<ListRule> list{kListRules};
  Config config{{kArrayRules, kRules<kArrayRules>.data()}, list.data(), kProgram.data()};
  Invariant invariant;

  Data() {
    for (std::size_t i = 0; i < kListRules; ++i)
      list[i] = {i + 1 < kListRules ? &list[i + 1] : nullptr, kRules<kListRules>[i]};
    invariant.add(&config, sizeof config);
    invariant.add(list.data(), list.size() * sizeof(ListRule));
    invariant.add(&kRules<kArrayRules>, sizeof kRules<kArrayRules>);
    invariant.add(&kProgram, sizeof kProgram);
  }
};

struct Case {
  std::string name;
  Batch *generic;
  std::function<std::uint64_t(const std::uint32_t *, std::size_t)> folded;
  Batch *by_hand;
  std::vector<std::uint32_t> inputs;
  Goal goal;
};

template <Batch *handler> auto fold(Runtime &runtime, const Data &data) {
  auto bound = runtime.bind<handler>(&data.config, _, _);
  bound.wait();
  return bound;
}

} // namespace

std::vector<Figure> measure() {
  const Data data;
  Runtime runtime;
  const auto list = fold<&fold_list>(runtime, data);
  const auto array = fold<&fold_array>(runtime, data);
  const auto program = fold<&fold_interpreter>(runtime, data);
  const auto mixed_list = make_addresses(kRules<kListRules>.data(), kListRules);
  const auto mixed_array = make_addresses(kRules<kArrayRules>.data(), kArrayRules);
  const Case cases[] = {
      {"list32", fold_list, list, straight_list, same_address(), at_least(2.5)},
      {"array256", fold_array, array, straight_array, same_address(), at_least(4.5)},
      {"interpreter", fold_interpreter, program, straight_program, mixed_array, at_least(3)},
      {"list32_mixed", fold_list, list, straight_list, mixed_list, {}},
      {"array256_mixed", fold_array, array, straight_array, mixed_array, {}}};
  std::vector<Alternative> alternatives;
  for (const Case &one : cases) {
    const auto *inputs = one.inputs.data();
    const auto add = [&](const auto &batch) {
      alternatives.push_back({one.name, [batch, inputs] {
                                std::uint64_t sum = batch(inputs, kCalls);
                                keep(sum);
                              }});
    };
    const auto *config = &data.config;
    const auto call = [config](Batch *batch) {
      return [batch, config](const std::uint32_t *of, std::size_t count) {
        return batch(config, of, count);
      };
    };
    for (std::size_t i = 0; i < kCalls; ++i) {
      const std::uint64_t expected = one.generic(config, inputs + i, 1);
      if (one.folded(inputs + i, 1) != expected || one.by_hand(config, inputs + i, 1) != expected)
        throw std::runtime_error(one.name + ": a result is wrong");
    }
    add(call(one.generic));
    add(one.folded);
    add(call(one.by_hand));
  }
  const std::vector<Samples> samples = interleave(alternatives, kRounds);

  std::vector<Figure> figures;
  Interval worst{};
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    const Samples &generic = samples[3 * i];
    const Samples &folded = samples[3 * i + 1];
    const Samples &by_hand = samples[3 * i + 2];
    const Interval over_hand = ratio(folded, by_hand);
    std::printf("%-14s ticks per address: generic %.1f, folded %.1f, by hand %.1f\n",
                cases[i].name.c_str(), median(generic).value / kCalls,
                median(folded).value / kCalls, median(by_hand).value / kCalls);
    figures.push_back(
        {cases[i].name + "_generic_over_folded", "ratio", ratio(generic, folded), cases[i].goal});
    figures.push_back({cases[i].name + "_folded_over_handwritten", "ratio", over_hand});
    if (over_hand.value > worst.value)
      worst = over_hand;
  }
  figures.push_back({"folded_over_handwritten", "ratio", worst, at_most(1.05)});
  return figures;
}

} // namespace sartor::bench
