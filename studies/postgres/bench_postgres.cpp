// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures PostgreSQL's expressions with Sartor (studies/postgres): processor time of
/// queries and of pgbench's transactions with stock PostgreSQL, the better of jit = off and jit =
/// on for each, over that with Sartor's provider after it has decided. Takes up to a quarter of an
/// hour; STUDY_POSTGRES_ORDERS sets the size of the tables.

#include "harness.h"
#include "measure.h"

namespace sartor::bench {

const char *const bench_name = "postgres";

namespace {

constexpr std::size_t kOrders = 150'000; // a tenth of the study's
constexpr std::size_t kRounds = 21;

} // namespace

std::vector<Figure> measure() {
  std::vector<Samples> scans;
  std::vector<Samples> queries;
  std::vector<Figure> each;
  for (const postgres::Query &query : postgres::measure(kOrders, kRounds).queries) {
    const Samples gain = ratios(query.stock(), query.sartor);
    if (query.is_scan())
      scans.push_back(ratios(query.off, query.sartor));
    if (!query.is_pgbench())
      queries.push_back(gain);
    each.push_back({.name = query.name,
                    .unit = "ratio",
                    .measured = median(gain),
                    .goal = at_least(query.is_pgbench() ? 0.995 : 1)});
  }
  std::vector<Figure> figures = {
      {.name = "off_over_sartor_scans",
       .unit = "ratio",
       .measured = over_all(scans, geometric_mean),
       .goal = at_least(1.2)},
      {.name = "stock_over_sartor", .unit = "ratio", .measured = over_all(queries, geometric_mean)},
      {.name = "stock_over_sartor_worst", .unit = "ratio", .measured = over_all(queries, least)}};
  figures.insert(figures.end(), each.begin(), each.end());
  return figures;
}

} // namespace sartor::bench
