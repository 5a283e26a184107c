// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file rust_study OUTPUT: measures a lookup in forwarding tables of several sizes, in Rust and in
/// C, generic and specialized. Prints a table, also to OUTPUT/summary.md, and writes the numbers to
/// OUTPUT/ticks.dat.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "measure.h"

namespace {

using sartor::bench::Interval;

constexpr std::size_t kRounds = 61;

std::string text(const Interval &interval) {
  char line[96];
  std::snprintf(line, sizeof line, "%.2f [%.2f, %.2f]", interval.value, interval.low,
                interval.high);
  return line;
}

void study(const std::filesystem::path &output) {
  std::filesystem::create_directories(output);
  std::ofstream summary(output / "summary.md");
  std::ofstream data(output / "ticks.dat");
  const auto say = [&](const std::string &line) {
    std::cout << line << std::endl;
    summary << line << '\n';
  };
  say("| rules | Rust, generic ÷ specialized | C, generic ÷ specialized | Rust ÷ C, specialized | "
      "Rust ÷ C, generic |");
  say("|---|---|---|---|---|");
  for (const std::size_t size : sartor::rust_study::kSizes) {
    const auto timings = sartor::rust_study::measure_table(size, kRounds);
    using sartor::bench::ratio;
    say("| " + std::to_string(size) + " | " +
        text(ratio(timings.rust_generic, timings.rust_specialized)) + " | " +
        text(ratio(timings.c_generic, timings.c_specialized)) + " | " +
        text(ratio(timings.rust_specialized, timings.c_specialized)) + " | " +
        text(ratio(timings.rust_generic, timings.c_generic)) + " |");
    data << size;
    for (const auto *samples : {&timings.rust_generic, &timings.rust_specialized,
                                &timings.c_generic, &timings.c_specialized}) {
      const Interval ticks = sartor::bench::median(*samples);
      data << ' ' << ticks.value << ' ' << ticks.low << ' ' << ticks.high;
    }
    data << '\n';
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: rust_study OUTPUT\n";
    return 2;
  }
  try {
    study(argv[1]);
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
