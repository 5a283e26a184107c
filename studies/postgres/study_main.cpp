// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The study's table, the data of its plot, and the provider's view after all queries,
/// written into the given folder. See README.md.

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>

#include "measure.h"

namespace {

constexpr std::size_t kOrders = 1'500'000; // a gigabyte
constexpr std::size_t kRounds = 7;

void write(std::ostream &out, const sartor::bench::Interval &ratio) {
  out << std::setprecision(3) << ratio.value << " [" << ratio.low << ", " << ratio.high << "]";
}

void write(const std::filesystem::path &folder) {
  using sartor::bench::median;
  using sartor::bench::ratio;
  const postgres::Measured measured = postgres::measure(kOrders, kRounds);
  std::filesystem::create_directories(folder);
  std::ofstream table(folder / "tables.md");
  std::ofstream plot(folder / "ratios.dat");
  table << "| query | jit=off, ms | jit=on, ms | Sartor, ms | off ÷ Sartor | better ÷ Sartor |\n"
        << "|---|---|---|---|---|---|\n"
        << std::fixed;
  for (const postgres::Query &query : measured.queries) {
    table << "| " << query.name << std::setprecision(1) << " | " << median(query.off).value << " | "
          << median(query.on).value << " | " << median(query.sartor).value << " | ";
    write(table, ratio(query.off, query.sartor));
    table << " | ";
    const sartor::bench::Interval gain = ratio(query.stock(), query.sartor);
    write(table, gain);
    table << " |\n";
    plot << query.name << ' ' << gain.value << ' ' << gain.low << ' ' << gain.high << '\n';
  }
  std::ofstream(folder / "activity.txt") << measured.activity;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: postgres_study OUTPUT_DIRECTORY\n";
    return EXIT_FAILURE;
  }
  try {
    write(argv[1]);
  } catch (const std::exception &problem) {
    std::cerr << "postgres_study: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
