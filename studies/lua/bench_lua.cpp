// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures Lua's interpreter with Sartor (studies/lua): CPU time of programs by stock Lua,
/// the better of gcc -O2 and clang -O3 -march=native for each program, over that with all hot
/// functions specialized. Also measures the overhead with nothing specialized, and the throughput
/// with the default comparison with native code, over that without, of the worst program and as the
/// geometric mean; and the same of the worst program if neither compares, which is chance.

#include "harness.h"
#include "measure.h"

namespace sartor::bench {

const char *const bench_name = "lua";

namespace {

constexpr std::size_t kRounds = 21;

} // namespace

std::vector<Figure> measure() {
  std::vector<Samples> faster;
  std::vector<Samples> idle;
  std::vector<Samples> verified;
  std::vector<Samples> by_chance;
  std::vector<Figure> each;
  for (const lua::Program &program : lua::measure(kRounds)) {
    faster.push_back(ratios(program.stock(), program.sartor));
    verified.push_back(ratios(program.unverified, program.sartor));
    by_chance.push_back(ratios(program.unverified, program.again));
    idle.push_back(ratios(program.idle, program.stock()));
    each.push_back({.name = program.name, .unit = "ratio", .measured = median(faster.back())});
  }
  std::vector<Figure> figures = {
      {.name = "stock_over_sartor_mean",
       .unit = "ratio",
       .measured = over_all(faster, mean),
       .goal = at_least(1.84),
       .paper = 1.84},
      {.name = "stock_over_sartor_geometric",
       .unit = "ratio",
       .measured = over_all(faster, geometric_mean)},
      {.name = "stock_over_sartor_worst",
       .unit = "ratio",
       .measured = over_all(faster, least),
       .goal = at_least(0.98)},
      {.name = "idle_over_stock",
       .unit = "ratio",
       .measured = over_all(idle, mean),
       .goal = at_most(1.02)},
      {.name = "idle_cost_of_verification",
       .unit = "ratio",
       .measured = over_all(verified, least),
       .goal = at_least(0.995)},
      {.name = "idle_cost_of_nothing", .unit = "ratio", .measured = over_all(by_chance, least)},
      {.name = "idle_cost_of_verification_geometric",
       .unit = "ratio",
       .measured = over_all(verified, geometric_mean)},
      {.name = "lines_changed",
       .unit = "lines",
       .measured = exactly(lua::lines_changed()),
       .goal = at_most(100)},
      {.name = "lines_beside", .unit = "lines", .measured = exactly(lua::lines_beside())}};
  figures.insert(figures.end(), each.begin(), each.end());
  return figures;
}

} // namespace sartor::bench
