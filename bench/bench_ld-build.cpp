// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the gain of a build whose compiler is started by sartor-ld: `make -j2` of Lua
/// from scratch, with CC=clang-22 and with CC="sartor-ld ... clang-22", whose plan is cached. Make,
/// the archiver and the linker are started as usual. Both builds of a round run immediately after
/// one another, in random order; their results are identical byte for byte.

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "ld.h"

namespace sartor::bench {

const char *const bench_name = "ld-build";

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRounds = 14;

/// A copy of the source and its build command.
class Build {
public:
  Build(const Place &place, const Way &way) : directory_(place.path() / way.name) {
    std::string compiler;
    for (const std::string &word : way.command({"clang-22"}))
      compiler += (compiler.empty() ? "" : " ") + word;
    make_ = make_of_lua(directory_, compiler);
  }

  /// Times a build from scratch.
  double milliseconds() {
    run(with({"clean"}));
    const Spent spent = run(with({"-j2", "all"}));
    cpu_.push_back(spent.cpu);
    return spent.wall;
  }
  /// Returns the times of each build except the first.
  [[nodiscard]] Samples cpu_milliseconds() const { return {cpu_.begin() + 1, cpu_.end()}; }

  [[nodiscard]] const fs::path &directory() const { return directory_; }

private:
  [[nodiscard]] Words with(const Words &more) const {
    Words all = make_;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  fs::path directory_;
  Words make_;
  Samples cpu_;
};

std::string content(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Throws if the outputs of the two builds differ.
void compare(const Build &one, const Build &other) {
  std::size_t objects = 0;
  for (const fs::directory_entry &entry : fs::directory_iterator(one.directory())) {
    const fs::path name = entry.path().filename();
    if (content(entry.path()) != content(other.directory() / name))
      throw std::runtime_error(name.string() + " is another one by sartor-ld");
    objects += name.extension() == ".o" ? 1 : 0;
  }
  if (objects == 0)
    throw std::runtime_error("nothing has been compiled");
}

} // namespace

std::vector<Figure> measure() {
  const Place place;
  Build stock(place, kStock);
  Build both(place, kBoth);
  const std::vector<Samples> wall = interleave_samples(
      {[&] { return stock.milliseconds(); }, [&] { return both.milliseconds(); }}, rounds(kRounds));
  compare(stock, both);
  const Samples stock_cpu = stock.cpu_milliseconds();
  return {{.name = "stock_over_both",
           .unit = "ratio",
           .measured = ratio(wall[0], wall[1]),
           .goal = at_least(1.15)},
          {.name = "stock_over_both_cpu",
           .unit = "ratio",
           .measured = ratio(stock_cpu, both.cpu_milliseconds())},
          {.name = "stock_ms", .unit = "ms", .measured = median(wall[0])},
          {.name = "stock_cpu_ms", .unit = "ms", .measured = median(stock_cpu)}};
}

} // namespace sartor::bench
