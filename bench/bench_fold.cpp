// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What folding invariant memory gains: rules in a list and in an array matched against addresses,
/// and an interpreter run over a program, generic, folded, and as straight code written by hand.
/// Ticks per call, calls independent of each other.

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

#include <sartor/runtime.hpp>

#include "fold_program.h"
#include "harness.h"
#include "jit/worker.h"
#include "point/module.h"

namespace sartor::bench {

const char *const bench_name = "fold";

namespace {

constexpr std::size_t kCalls = 4'000;
constexpr std::size_t kRounds = 201;

/// Addresses that match all rules equally often, and one in eight that matches none.
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

/// The handlers' data, of which all is declared invariant.
struct Data {
  std::vector<ListRule> list{kListRules};
  Config config{{kArrayRules, kRules<kArrayRules>.data()}, list.data(), kProgram.data()};
  std::vector<specialize::Region> regions;

  Data() {
    for (std::size_t i = 0; i < kListRules; ++i)
      list[i] = {i + 1 < kListRules ? &list[i + 1] : nullptr, kRules<kListRules>[i]};
    promise(&config, sizeof config);
    promise(list.data(), list.size() * sizeof(ListRule));
    promise(&kRules<kArrayRules>, sizeof kRules<kArrayRules>);
    promise(&kProgram, sizeof kProgram);
    std::ranges::sort(regions, {}, &specialize::Region::address);
  }

  void promise(const void *memory, std::size_t size) {
    regions.push_back(
        {1, reinterpret_cast<std::uintptr_t>(memory),
         std::make_shared<const std::string>(static_cast<const char *>(memory), size)});
  }
};

class Folder {
public:
  explicit Folder(const Data &data) : data_(data) {
    module_ = std::make_shared<point::HandlerModule>(
        value(point::load_embedded({__start_sartor_modules, __stop_sartor_modules})));
    linker_ = value(jit::Linker::create(module_->symbols, ""));
    worker_ = std::make_unique<jit::Worker>(module_, linker_, std::make_shared<std::uint64_t[]>(1));
  }

  Matcher *fold(const std::string &handler) {
    specialize::Context context;
    context.handler = handler;
    context.arguments[0] =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(&data_.config));
    context.regions = data_.regions;
    code_.push_back(value(worker_->make_variant({context, handler, jit::Tier::full, {}},
                                                std::chrono::steady_clock::time_point::max())));
    return reinterpret_cast<Matcher *>(code_.back()->entry());
  }

private:
  template <class T> static T value(Result<T> result) {
    if (!result)
      throw std::runtime_error(result.error().text());
    return std::move(*result);
  }

  const Data &data_;
  std::shared_ptr<point::HandlerModule> module_;
  std::shared_ptr<jit::Linker> linker_;
  std::unique_ptr<jit::Worker> worker_;
  std::vector<std::unique_ptr<jit::Code>> code_;
};

struct Case {
  std::string name;
  Matcher *generic;
  Matcher *folded;
  Matcher *by_hand;
  std::vector<std::uint32_t> inputs;
};

std::uint64_t run(Matcher *matcher, const Config &config,
                  const std::vector<std::uint32_t> &inputs) {
  std::uint64_t sum = 0;
  for (const std::uint32_t input : inputs)
    sum += matcher(&config, input);
  return sum;
}

} // namespace

std::vector<Figure> measure() {
  const Data data;
  Folder folder(data);
  const Case cases[] = {{"list32", fold_list, folder.fold("fold_list"), straight_list,
                         make_addresses(kRules<kListRules>.data(), kListRules)},
                        {"array256", fold_array, folder.fold("fold_array"), straight_array,
                         make_addresses(kRules<kArrayRules>.data(), kArrayRules)},
                        {"interpreter", fold_interpreter, folder.fold("fold_interpreter"),
                         straight_program,
                         make_addresses(kRules<kArrayRules>.data(), kArrayRules)}};
  std::vector<Alternative> alternatives;
  for (const Case &one : cases) {
    for (const std::uint32_t input : one.inputs)
      if (one.generic(&data.config, input) != one.folded(&data.config, input) ||
          one.generic(&data.config, input) != one.by_hand(&data.config, input))
        throw std::runtime_error(one.name + ": a result is wrong");
    for (Matcher *matcher : {one.generic, one.folded, one.by_hand})
      alternatives.push_back({one.name, [&, matcher] {
                                std::uint64_t sum = run(matcher, data.config, one.inputs);
                                keep(sum);
                              }});
  }
  const std::vector<Samples> samples = interleave(alternatives, kRounds);

  constexpr double kGoals[] = {2.5, 4.5, 3};
  std::vector<Figure> figures;
  Interval worst{};
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    const Samples &generic = samples[3 * i];
    const Samples &folded = samples[3 * i + 1];
    const Samples &by_hand = samples[3 * i + 2];
    const Interval over_hand = ratio(folded, by_hand);
    std::printf("%-12s ticks per call: generic %.1f, folded %.1f, by hand %.1f\n",
                cases[i].name.c_str(), median(generic).value / kCalls,
                median(folded).value / kCalls, median(by_hand).value / kCalls);
    figures.push_back({cases[i].name + "_generic_over_folded", "ratio", ratio(generic, folded),
                       at_least(kGoals[i])});
    figures.push_back({cases[i].name + "_folded_over_handwritten", "ratio", over_hand});
    if (over_hand.value > worst.value)
      worst = over_hand;
  }
  figures.push_back({"folded_over_handwritten", "ratio", worst, at_most(1.05)});
  return figures;
}

} // namespace sartor::bench
