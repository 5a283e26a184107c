// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures longest-prefix match: the gain of knowing the routes (a decision tree, NI), the
/// traffic (a fast path, FP) or both, and the compile time. See studies/lpm.

#include <cstdio>
#include <functional>

#include <sartor/sartor.hpp>

#include "generate.h"
#include "harness.h"
#include "measure.h"
#include "specialized.h"
#include "tree.h"

namespace sartor::bench {

const char *const bench_name = "lpm";

namespace {

using lpm::Address4;
using lpm::Address6;
using lpm::Timing;
using lpm::Workload;

constexpr std::size_t kRounds = 31;
constexpr std::size_t kCompiles = 5;
/// Leaf size of the trees that are compiled for the record: nested ifs above searches.
constexpr std::uint32_t kCompiledLeafSize = 16;

Interval speedup(const std::vector<Timing> &timings, const Timing &over) {
  return ratio(timing(timings, lpm::way::generic).ticks, over.ticks);
}

void print(const char *family, const std::string &set, const char *workload,
           const std::vector<Timing> &timings) {
  std::printf("%s %-15s %s, ticks per lookup:", family, set.c_str(), workload);
  for (const Timing &timing : timings)
    std::printf(" %s: %.1f", timing.way.c_str(), median(timing.ticks).value);
  std::printf("\n");
}

/// Keeps the better of two intervals, where more is better.
void improve(Interval &best, const Interval &candidate) {
  if (candidate.value > best.value)
    best = candidate;
}

/// Returns the timing of the tree in C with the same leaf size as a specialized lookup.
const Timing &same_in_c(const std::vector<Timing> &timings, const Timing &specialized) {
  return timing(timings, lpm::way::handwritten + specialized.way.substr(lpm::way::tree.size()));
}

struct Best {
  Interval tree_a{};
  Interval fast_path_b{};
  Interval over_handwritten{};
};

/// Measures the figures of one workload set. `suffix` is appended to their names.
template <class Address>
void measure_set(const lpm::NamedSet<Address> &set, const std::string &suffix,
                 std::vector<Figure> &figures, Best &best) {
  const char *family = lpm::Family<Address>::name;
  const auto a = lpm::measure(set, Workload::specific, kRounds);
  print(family, set.name, "A", a);
  const Timing &tree = fastest(a, lpm::way::tree);
  figures.push_back({"ni_speedup_a_" + suffix, "ratio", speedup(a, tree)});
  improve(best.tree_a, figures.back().measured);
  figures.push_back(
      {"invariant_speedup_a_" + suffix, "ratio", speedup(a, timing(a, lpm::way::invariant))});
  figures.push_back(
      {"rte_over_ni_a_" + suffix, "ratio", ratio(timing(a, lpm::way::rte).ticks, tree.ticks)});
  best.over_handwritten = ratio(tree.ticks, same_in_c(a, tree).ticks);
  figures.push_back({"specialized_over_handwritten_" + suffix, "ratio", best.over_handwritten});

  const auto b = lpm::measure(set, Workload::general, kRounds);
  print(family, set.name, "B", b);
  const Timing &fast_path = timing(b, lpm::way::fast_path);
  const Timing &both = fastest(b, lpm::way::both);
  const Timing &better =
      median(fast_path.ticks).value < median(both.ticks).value ? fast_path : both;
  figures.push_back({"fp_speedup_b_" + suffix, "ratio", speedup(b, better)});
  improve(best.fast_path_b, figures.back().measured);
  figures.push_back({"ni_speedup_b_" + suffix, "ratio", speedup(b, fastest(b, lpm::way::tree))});
  figures.push_back(
      {"invariant_speedup_b_" + suffix, "ratio", speedup(b, timing(b, lpm::way::invariant))});
  figures.push_back(
      {"rte_over_fp_b_" + suffix, "ratio", ratio(timing(b, lpm::way::rte).ticks, better.ticks)});
}

template <class Address>
void measure_internet(const std::string &suffix, std::vector<Figure> &figures) {
  const auto set = lpm::internet_set<Address>();
  const auto mixed = lpm::measure(set, Workload::mixed, kRounds);
  print(lpm::Family<Address>::name, set.name, "mixed", mixed);
  const Timing &tree = fastest(mixed, lpm::way::tree);
  figures.push_back({"internet_ni_speedup" + suffix, "ratio", speedup(mixed, tree)});
  figures.push_back(
      {"internet_ni_fp_speedup" + suffix, "ratio", speedup(mixed, fastest(mixed, lpm::way::both))});
  figures.push_back({"internet_rte_over_ni" + suffix, "ratio",
                     ratio(timing(mixed, lpm::way::rte).ticks, tree.ticks)});
}

Samples compile_times(const std::function<double()> &compile) {
  Samples times;
  for (std::size_t i = 0; i < kCompiles; ++i)
    times.push_back(compile());
  return times;
}

double compile_matmul() {
  Runtime runtime;
  double milliseconds = 0;
  for (const VariantInfo &variant : runtime.specialize({{"B", 16}, {"N", 256}}))
    milliseconds += std::chrono::duration<double, std::milli>(variant.compile_time).count();
  return milliseconds;
}

Samples compile_tree(const std::shared_ptr<const lpm::RouteSet4> &set, std::uint32_t leaf_size) {
  const lpm::TableOwner<Address4> table(*set);
  return compile_times([&] {
    return lpm::Specialized<Address4>(set, table, {leaf_size, 0}).compile_milliseconds();
  });
}

void measure_compiling(std::vector<Figure> &figures) {
  const Samples matmul = compile_times(compile_matmul);
  figures.push_back({"compile_ms_matmul", "ms", median(matmul)});
  Samples least;
  for (const std::size_t size : {100U, 1000U, 10'000U}) {
    const auto set = lpm::workload_set<Address4>(size).set;
    const std::string suffix = std::to_string(size);
    const Samples times = compile_tree(set, kCompiledLeafSize);
    figures.push_back({"compile_ms_" + suffix, "ms", median(times), {}, 72});
    figures.push_back({"compile_over_matmul_" + suffix, "ratio", ratio(times, matmul)});
    for (const std::uint32_t leaf_size : lpm::kLeafSizes)
      if (leaf_size != kCompiledLeafSize)
        figures.push_back({"compile_ms_" + suffix + "_leaf_" + std::to_string(leaf_size), "ms",
                           median(compile_tree(set, leaf_size))});
    if (least.empty()) {
      least = times;
      continue;
    }
    // 1 means linear: the time grows in proportion to the routes.
    Samples per_route = times;
    for (double &time : per_route)
      time /= static_cast<double>(size) / 100;
    figures.push_back(
        {"compile_growth_100_to_" + suffix, "ratio", ratio(per_route, least), at_most(1)});
  }
}

} // namespace

std::vector<Figure> measure() {
  std::vector<Figure> details;
  Best best;
  Interval over_handwritten;
  for (const std::size_t size : lpm::kSizes) {
    measure_set(lpm::workload_set<Address4>(size), std::to_string(size), details, best);
    if (size == 1000)
      over_handwritten = best.over_handwritten;
  }
  Best best6;
  for (const std::size_t size : lpm::kSizes)
    measure_set(lpm::workload_set<Address6>(size), "v6_" + std::to_string(size), details, best6);
  measure_internet<Address4>("", details);
  measure_internet<Address6>("_v6", details);
  measure_compiling(details);

  std::vector<Figure> figures = {
      {"ni_best_speedup_a", "ratio", best.tree_a, at_least(6), 6},
      {"fp_best_speedup_b", "ratio", best.fast_path_b, at_least(30), 30},
      {"specialized_over_handwritten", "ratio", over_handwritten, at_most(1.05)},
      {"ni_best_speedup_a_v6", "ratio", best6.tree_a},
      {"fp_best_speedup_b_v6", "ratio", best6.fast_path_b},
  };
  figures.insert(figures.end(), details.begin(), details.end());
  return figures;
}

} // namespace sartor::bench
