// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the cost of a call into another library, started by the stock loader and by
/// sartor-ld with each set of passes, by the number of libraries that are called in turn. The
/// programs and their libraries are generated (ld_micro_libraries.h). Each run is a separate
/// process, which measures the ticks per call itself after everything is bound and warm. Runs of a
/// round follow immediately after one another, in random order.

#include <cstdlib>
#include <filesystem>
#include <string>

#include "ld.h"
#include "ld_micro_libraries.h"

namespace sartor::bench {

const char *const bench_name = "ld-micro";

namespace {

namespace fs = std::filesystem;

const std::vector<std::size_t> kCounts{10, 25, 50, 100, 200, 400};

} // namespace

std::vector<Figure> measure() {
  const fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  build_micro_programs(build / "bench" / "ld-micro", kCounts);
  const Place place;
  const std::vector<Way> ways{kStock, kNone, kBind, kConcat, kBoth};
  std::vector<Figure> figures;
  for (const std::size_t count : kCounts) {
    const std::string name = std::to_string(count);
    const std::string program = build / "bench" / "ld-micro" / ("micro_" + name);
    std::vector<std::function<double()>> alternatives;
    for (const Way &way : ways)
      alternatives.emplace_back([&, way] {
        return std::strtod(output_of(place, way.command({program})).c_str(), nullptr);
      });
    const std::vector<Samples> ticks = interleave_samples(alternatives, rounds(40));
    for (std::size_t i = 1; i < ways.size(); ++i) {
      Figure figure{.name = "stock_over_" + ways[i].name + "_" + name,
                    .unit = "ratio",
                    .measured = ratio(ticks[0], ticks[i])};
      if (count == 100 && ways[i].name == kBoth.name) {
        figure.goal = at_least(1.19);
        figure.paper = 1.24;
      }
      figures.push_back(std::move(figure));
    }
    figures.push_back(
        {.name = "stock_ticks_" + name, .unit = "ticks", .measured = median(ticks[0])});
  }
  return figures;
}

} // namespace sartor::bench
