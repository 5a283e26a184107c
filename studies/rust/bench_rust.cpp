// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures handlers in Rust: the gain of knowing the rules of a forwarding table, and a
/// comparison of code made from Rust with code made from the same algorithm in C. See studies/rust.

#include <string>

#include "harness.h"
#include "measure.h"

namespace sartor::bench {

const char *const bench_name = "rust";

namespace {

constexpr std::size_t kRounds = 61;
/// Size of the table of the main figures.
constexpr std::size_t kTable = 300;

} // namespace

std::vector<Figure> measure() {
  std::vector<Figure> figures;
  std::vector<Figure> details;
  for (const std::size_t size : rust_study::kSizes) {
    const rust_study::Timings timings = rust_study::measure_table(size, kRounds);
    const Interval over = ratio(timings.rust_generic, timings.rust_specialized);
    const Interval rust_over_c = ratio(timings.rust_specialized, timings.c_specialized);
    const Interval c_over_rust = ratio(timings.c_specialized, timings.rust_specialized);
    if (size == kTable)
      figures = {
          {.name = "generic_over_specialized",
           .unit = "ratio",
           .measured = over,
           .goal = at_least(1.3)},
          {.name = "rust_over_c", .unit = "ratio", .measured = rust_over_c, .goal = at_most(1.05)},
          {.name = "c_over_rust", .unit = "ratio", .measured = c_over_rust, .goal = at_most(1.05)}};
    const std::string suffix = "_" + std::to_string(size);
    details.push_back(
        {.name = "generic_over_specialized" + suffix, .unit = "ratio", .measured = over});
    details.push_back({.name = "c_generic_over_specialized" + suffix,
                       .unit = "ratio",
                       .measured = ratio(timings.c_generic, timings.c_specialized)});
    details.push_back({.name = "rust_over_c" + suffix, .unit = "ratio", .measured = rust_over_c});
    details.push_back({.name = "rust_over_c_generic" + suffix,
                       .unit = "ratio",
                       .measured = ratio(timings.rust_generic, timings.c_generic)});
    details.push_back(
        {.name = "ticks" + suffix, .unit = "ticks", .measured = median(timings.rust_specialized)});
  }
  figures.insert(figures.end(), details.begin(), details.end());
  return figures;
}

} // namespace sartor::bench
