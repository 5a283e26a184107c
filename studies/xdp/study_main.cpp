// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The study's tables, and the data of its plots, written into the given folder. See
/// README.md.
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>

#include "measure.h"

namespace {

namespace fs = std::filesystem;
using sartor::bench::Interval;

constexpr std::size_t kRounds = 15;
constexpr std::size_t kWindows = 60;
constexpr double kShares[] = {0, 0.25, 0.5, 0.75, 0.9, 0.99, 1};

/// Missing values are written as question marks, which gnuplot skips.
std::string text_of(const sartor::bench::Samples &samples) {
  if (samples.empty())
    return "? ? ?";
  const Interval ns = sartor::bench::median(samples);
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << ns.value << ' ' << ns.low << ' ' << ns.high;
  return text.str();
}

void write_row(std::ostream &table, const std::string &name, const xdp::Times &times) {
  table << "| " << name << " | " << (times.mix.is_zipf ? "Zipf" : "equal") << " | "
        << times.mix.hits << " | " << std::fixed << std::setprecision(1)
        << sartor::bench::median(times.generic).value << " | ";
  if (times.refusal.empty() && times.specialized.empty()) {
    table << "too short to measure | |";
  } else if (times.refusal.empty()) {
    const Interval ratio = sartor::bench::ratio(times.generic, times.specialized);
    table << sartor::bench::median(times.specialized).value << " | " << std::setprecision(2)
          << ratio.value << " [" << ratio.low << ", " << ratio.high << "] |";
  } else {
    table << "not specialized: " << times.refusal.substr(0, times.refusal.find('\n')) << " | |";
  }
  table << std::defaultfloat << '\n';
}

void write_shares(const fs::path &folder, std::ostream &table, const xdp::Scenario &scenario) {
  for (const bool is_zipf : {false, true}) {
    std::ofstream data(folder /
                       ("shares-" + scenario.name + (is_zipf ? "-zipf.dat" : "-equal.dat")));
    data << "# share of hits; ns a packet, low, high: generic; specialized\n";
    for (const double share : kShares) {
      xdp::Mix mix;
      mix.hits = share;
      mix.is_zipf = is_zipf;
      const xdp::Times times = xdp::measure(scenario, mix, kRounds);
      data << share << ' ' << text_of(times.generic) << ' ' << text_of(times.specialized) << '\n';
      write_row(table, scenario.name, times);
    }
  }
}

void write_moments(const fs::path &folder, const xdp::Scenario &scenario) {
  std::ofstream data(folder / ("packets-" + scenario.name + ".dat"));
  std::ofstream steps(folder / ("steps-" + scenario.name + ".dat"));
  for (const xdp::Moment &moment : xdp::follow(scenario, xdp::Mix(), kWindows)) {
    if (!moment.step.empty()) {
      steps << moment.seconds << " \"" << moment.step << "\"\n";
      data << '\n'; // a gap without measurements
    }
    data << moment.seconds << ' ' << moment.packets_per_second / 1e6 << '\n';
  }
}

void write(const fs::path &folder) {
  fs::create_directories(folder);
  std::ofstream table(folder / "tables.md");
  table << "| handler | popular ones | share of hits | generic, ns | specialized, ns | generic ÷ "
           "specialized |\n|---|---|---|---|---|---|\n";
  for (const xdp::Scenario &scenario : xdp::scenarios()) {
    write_shares(folder, table, scenario);
    write_moments(folder, scenario);
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: xdp_study OUTPUT_DIRECTORY\n";
    return EXIT_FAILURE;
  }
  try {
    write(argv[1]);
  } catch (const std::exception &problem) {
    std::cerr << "xdp_study: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
