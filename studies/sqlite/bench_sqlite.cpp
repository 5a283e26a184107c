// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures SQLite's interpreter with Sartor (studies/sqlite): CPU time of queries by stock
/// SQLite, the better of gcc -O2 and clang -O3 -march=native for each, over that by the statement's
/// variant. Also measures the overhead with nothing specialized, and the compile time of variants;
/// the throughput with the default comparison with native code, over that without, of the worst
/// query, and the same of two processes that both compare nothing, which is chance; and, with all
/// of SQLite in one handler file, the time to open it and to make its first variant.

#include <algorithm>

#include "harness.h"
#include "measure.h"

namespace sartor::bench {

const char *const bench_name = "sqlite";

namespace {

constexpr std::size_t kOrders = 15'000; // a tenth of the study's
constexpr std::size_t kRounds = 21;
constexpr std::size_t kStarts = 9;

} // namespace

std::vector<Figure> measure() {
  std::vector<Samples> scans;
  std::vector<Samples> all;
  std::vector<Samples> idle;
  std::vector<Samples> verified;
  std::vector<Samples> by_chance;
  Samples compiles;
  std::vector<Figure> each;
  for (const sqlite::Query &query : sqlite::measure(kOrders, kRounds)) {
    all.push_back(ratios(query.stock(), query.sartor));
    if (query.is_scan())
      scans.push_back(all.back());
    verified.push_back(ratios(query.unverified, query.sartor));
    by_chance.push_back(ratios(query.unverified, query.again));
    idle.push_back(ratios(query.idle, query.stock()));
    if (query.compile_milliseconds > 0)
      compiles.push_back(query.compile_milliseconds);
    each.push_back({.name = query.name, .unit = "ratio", .measured = median(all.back())});
  }
  std::vector<Figure> figures = {
      {.name = "stock_over_sartor_mean",
       .unit = "ratio",
       .measured = over_all(scans, geometric_mean),
       .goal = at_least(1.3)},
      {.name = "stock_over_sartor_worst",
       .unit = "ratio",
       .measured = over_all(all, least),
       .goal = at_least(0.98)},
      {.name = "compile_ms", .unit = "ms", .measured = median(compiles), .goal = at_most(300)},
      {.name = "compile_ms_worst",
       .unit = "ms",
       .measured = exactly(*std::ranges::max_element(compiles))},
      {.name = "idle_over_stock", .unit = "ratio", .measured = over_all(idle, geometric_mean)},
      {.name = "idle_cost_of_verification",
       .unit = "ratio",
       .measured = over_all(verified, least),
       .goal = at_least(0.995)},
      {.name = "idle_cost_of_nothing", .unit = "ratio", .measured = over_all(by_chance, least)},
      {.name = "idle_cost_of_verification_geometric",
       .unit = "ratio",
       .measured = over_all(verified, geometric_mean)},
      {.name = "lines_changed", .unit = "lines", .measured = exactly(sqlite::lines_changed())},
      {.name = "lines_beside", .unit = "lines", .measured = exactly(sqlite::lines_beside())}};
  const sqlite::Whole whole = sqlite::measure_whole(kStarts);
  figures.push_back({"whole_open_ms", "ms", median(whole.open)});
  figures.push_back({"whole_lazy_open_ms", "ms", median(whole.lazy_open), at_most(10)});
  figures.push_back(
      {"whole_first_variant_cpu_ms", "ms", median(whole.first_variant_cpu), at_most(300)});
  figures.insert(figures.end(), each.begin(), each.end());
  return figures;
}

} // namespace sartor::bench
