// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures network functions between two rings in memory (studies/nf), in a phase by the
/// external and one by the internal port: the explorer's choice compared with every batch size;
/// specialized code compared with the generic code at its best batch size; and the compile time of
/// a variant compared with that of bench_compile's matrix product.
///
/// Everything that is compared is measured again after the choice: the explorer's choice, which is
/// independent of these measurements, and the best and the worst of all.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <sartor/sartor.hpp>

#include "harness.h"
#include "stand.h"

namespace sartor::bench {

const char *const bench_name = "nf";

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kSearchRounds = 61;
constexpr std::size_t kRounds = 201;
constexpr std::size_t kFillings = 4;
constexpr std::size_t kCompiles = 15;
constexpr auto kLongestExploration = 300s;
constexpr std::array<const char *, nf_sides> kPhases = {"external", "internal"};
/// One setting of each other point, so that batch sizes are compared; flows are answered.
const nf::Choices kChoices{.ahead = {4}, .at_once = {8}, .answers = {0, 64}};

/// One way to handle packets: activates it and processes some packets; returns nanoseconds per
/// packet.
struct Way {
  std::function<void()> begin;
  std::function<double()> run;
};

/// Takes samples of each way in turn, in another random order each round.
std::vector<Samples> in_turn(const std::vector<Way> &ways, std::size_t rounds) {
  std::vector<Samples> samples(ways.size());
  std::vector<std::size_t> order(ways.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(5); // NOLINT(*-random-generator-seed): runs can be repeated
  for (std::size_t round = 0; round < rounds; ++round) {
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) {
      ways[i].begin();
      double nanoseconds = 0;
      for (std::size_t filling = 0; filling < kFillings + kFillings; ++filling)
        if (const double taken = ways[i].run(); filling >= kFillings)
          nanoseconds += taken; // the first ones warm the caches
      samples[i].push_back(nanoseconds / kFillings);
    }
  }
  return samples;
}

std::size_t slowest(const std::vector<Samples> &samples) {
  const auto by_median = [](const Samples &a, const Samples &b) {
    return median(a).value < median(b).value;
  };
  return static_cast<std::size_t>(std::ranges::max_element(samples, by_median) - samples.begin());
}

Samples sum(const Samples &a, const Samples &b) {
  Samples both(a.size());
  std::ranges::transform(a, b, both.begin(), std::plus());
  return both;
}

class Bench {
public:
  Bench(nf::Lab &lab, Runtime &runtime, const nf::Function &function, std::vector<Figure> &figures)
      : name_(function.name), runtime_(runtime), stand_(lab, runtime, function), figures_(figures) {
    stand_.learn();
  }

  void run() {
    std::array<Configuration, nf_sides> chosen;
    {
      nf::Tuning tuning(runtime_, stand_.function(), stand_.work(),
                        {.choices = kChoices, .learning = 0ms, .regression_budget = 1});
      for (const NfSide side : {nf_external, nf_internal})
        chosen[side] = explore(side, tuning);
    }
    for (const NfSide side : {nf_external, nf_internal})
      hold_against_batches(side, chosen[side]);
    hold_against_generic(chosen);
  }

  /// Returns the milliseconds from a request until the fully optimized variant is active, for new
  /// settings.
  Samples compile_times() {
    Samples times;
    constexpr std::array<std::uint32_t, 3> kAhead = {0, 2, 16}; // none of kChoices
    for (std::size_t i = 0; i < kCompiles; ++i) {
      const nf::Choices one{.batches = {kChoices.batches[i % 5 + 3]},
                            .ahead = {kAhead[i / 5]},
                            .at_once = {16},
                            .answers = {64}};
      std::vector<Configuration> configurations = nf::candidates(runtime_, stand_.function(), one);
      if (configurations.empty()) // it has no fast path
        configurations =
            nf::candidates(runtime_, stand_.function(), {one.batches, one.ahead, one.at_once, {0}});
      const auto begin = Clock::now();
      const std::vector<VariantInfo> variants = runtime_.specialize(configurations.front());
      times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
      if (std::ranges::none_of(variants, [](const VariantInfo &one) {
            return one.origin == VariantOrigin::compiled;
          }))
        throw std::runtime_error("not compiled: " + configurations.front().text());
    }
    return times;
  }

private:
  void figure(const std::string &what, const char *unit, Interval interval, Goal goal = {}) {
    figures_.push_back({name_ + '_' + what, unit, interval, goal});
  }

  Configuration explore(NfSide side, nf::Tuning &tuning) {
    const auto latest = Clock::now() + kLongestExploration;
    const auto begin = Clock::now();
    const auto decision = stand_.explore(side, tuning, [&] { return Clock::now() < latest; });
    if (!decision)
      throw std::runtime_error(name_ + ": the explorer has not decided in time");
    std::printf("%s, %s: %s, after %.1f s\n", name_.c_str(), kPhases[side],
                decision->configuration.text().c_str(),
                std::chrono::duration<double>(Clock::now() - begin).count());
    return decision->configuration;
  }

  Way specialized(NfSide side, const Configuration &configuration) {
    return {[this, configuration] { runtime_.specialize(configuration); },
            [this, side] { return stand_.specialized(side); }};
  }
  Way native(NfSide side, std::uint32_t batch) {
    return {[] {}, [this, side, batch] { return stand_.native(side, batch); }};
  }

  /// Compares the explorer's choice with the same configuration at every batch size.
  void hold_against_batches(NfSide side, const Configuration &chosen) {
    std::vector<Configuration> fixed;
    std::vector<Way> ways;
    for (const std::uint32_t batch : kChoices.batches) {
      fixed.push_back(chosen);
      fixed.back().set(name_ + ".BATCH_SIZE", unguarded(batch));
      ways.push_back(specialized(side, fixed.back()));
    }
    const std::vector<Samples> all = in_turn(ways, kSearchRounds);
    std::printf("%s, %s, ns by batch:", name_.c_str(), kPhases[side]);
    for (std::size_t i = 0; i < all.size(); ++i)
      std::printf(" %u: %.1f", kChoices.batches[i], median(all[i]).value);
    std::printf("\n");
    const std::vector<Samples> anew =
        in_turn({specialized(side, chosen), ways[fastest(all)], ways[slowest(all)]}, kRounds);
    const std::string phase = kPhases[side];
    figure(phase + "_over_best", "ratio", ratio(anew[1], anew[0]), at_least(0.98));
    figure(phase + "_over_worst", "ratio", ratio(anew[2], anew[0]));
  }

  /// Compares with the generic code over equally many packets of each phase.
  void hold_against_generic(const std::array<Configuration, nf_sides> &chosen) {
    std::vector<Way> ways;
    for (const NfSide side : {nf_external, nf_internal}) {
      std::vector<Way> generic;
      for (const std::uint32_t batch : kChoices.batches)
        generic.push_back(native(side, batch));
      ways.push_back(generic[fastest(in_turn(generic, kSearchRounds))]);
      ways.push_back(specialized(side, chosen[side]));
    }
    const std::vector<Samples> anew = in_turn(ways, kRounds);
    figure("specialized_over_generic", "ratio", ratio(sum(anew[0], anew[2]), sum(anew[1], anew[3])),
           at_least(0.98));
    for (const NfSide side : {nf_external, nf_internal}) {
      const std::string phase = kPhases[side];
      figure(phase + "_specialized_over_generic", "ratio",
             ratio(anew[std::size_t{2} * side], anew[std::size_t{2} * side + 1]));
      figure(phase + "_generic_ns", "ns", median(anew[std::size_t{2} * side]));
    }
  }

  std::string name_;
  Runtime &runtime_;
  nf::Stand stand_;
  std::vector<Figure> &figures_;
};

Samples matmul_times(Runtime &runtime) {
  Samples times;
  for (std::size_t i = 0; i < kCompiles; ++i) {
    const auto begin = Clock::now();
    runtime.specialize({{"B", 16}, {"N", 64 * (i + 2)}});
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  return times;
}

/// Returns the number of functions that gain at least a quarter.
Interval gain_a_quarter(const std::vector<Figure> &figures) {
  double count = 0;
  for (const nf::Function *const function : nf::all_functions())
    count += std::ranges::any_of(figures, [&](const Figure &figure) {
      return figure.name == std::string(function->name) + "_specialized_over_generic" &&
             figure.measured.value >= 1.25;
    });
  return {count, count, count};
}

} // namespace

std::vector<Figure> measure() {
  std::vector<Figure> figures;
  nf::Lab lab;
  Samples compiling;
  Samples matmul;
  for (const nf::Function *const function : nf::all_functions()) {

    Runtime runtime(nf::runtime_options());
    Bench bench(lab, runtime, *function, figures);
    bench.run();
    const Samples times = bench.compile_times();
    figures.push_back({std::string(function->name) + "_compile_ms", "ms", median(times)});
    compiling.insert(compiling.end(), times.begin(), times.end());
    const Samples beside = matmul_times(runtime);
    matmul.insert(matmul.end(), beside.begin(), beside.end());
  }
  figures.push_back(
      {"functions_that_gain_a_quarter", "functions", gain_a_quarter(figures), at_least(3)});
  figures.push_back({"compile_ms", "ms", median(compiling), at_most(98)});
  figures.push_back({"compile_over_matmul", "ratio", ratio(compiling, matmul)});
  return figures;
}

} // namespace sartor::bench
