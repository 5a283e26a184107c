// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures PCRE2's interpreter with Sartor (studies/regex): CPU time to find all matches of
/// patterns by stock PCRE2, the better of gcc -O2 and clang -O3 -march=native for each pattern,
/// over that with each pattern specialized, and compared with PCRE2's own JIT. Also measures the
/// overhead with nothing specialized.

#include "harness.h"
#include "measure.h"

namespace sartor::bench {

const char *const bench_name = "regex";

namespace {

constexpr std::size_t kRounds = 21;

} // namespace

std::vector<Figure> measure() {
  std::vector<Samples> faster;
  std::vector<Samples> beside_jit;
  std::vector<Samples> idle;
  std::vector<Figure> each;
  for (const regex::Pattern &pattern : regex::measure(kRounds)) {
    faster.push_back(ratios(pattern.interpreter(), pattern.sartor));
    beside_jit.push_back(ratios(pattern.sartor, pattern.jit));
    idle.push_back(ratios(pattern.idle, pattern.interpreter()));
    each.push_back({.name = pattern.name, .unit = "ratio", .measured = median(faster.back())});
  }
  std::vector<Figure> figures = {
      {.name = "interpreter_over_sartor_mean",
       .unit = "ratio",
       .measured = over_all(faster, geometric_mean),
       .goal = at_least(3)},
      {.name = "sartor_over_jit",
       .unit = "ratio",
       .measured = over_all(beside_jit, geometric_mean)},
      {.name = "idle_over_interpreter",
       .unit = "ratio",
       .measured = over_all(idle, geometric_mean)},
      {.name = "lines_changed", .unit = "lines", .measured = exactly(regex::lines_changed())},
      {.name = "lines_beside", .unit = "lines", .measured = exactly(regex::lines_beside())}};
  figures.insert(figures.end(), each.begin(), each.end());
  return figures;
}

} // namespace sartor::bench
