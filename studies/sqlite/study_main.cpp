// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The study's table, and the data of its plot, written into the given folder. See README.md.

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>

#include "measure.h"

namespace {

constexpr std::size_t kOrders = 150'000; // about 100 MB
constexpr std::size_t kRounds = 11;

double milliseconds(const sqlite::Samples &samples) {
  return 1e3 * sartor::bench::median(samples).value;
}

void write(const std::filesystem::path &folder) {
  std::filesystem::create_directories(folder);
  std::ofstream table(folder / "tables.md");
  std::ofstream plot(folder / "ratios.dat");
  table << "| query | gcc -O2, ms | clang -O3, ms | Sartor, ms | stock ÷ Sartor | idle ÷ stock | "
           "compiled in, ms | code, KiB |\n|---|---|---|---|---|---|---|---|\n"
        << std::fixed;
  for (const sqlite::Query &query : sqlite::measure(kOrders, kRounds)) {
    const double ratio = sartor::bench::ratio(query.stock(), query.sartor).value;
    table << "| " << query.name << std::setprecision(1) << " | " << milliseconds(query.gcc) << " | "
          << milliseconds(query.clang) << " | " << milliseconds(query.sartor) << " | "
          << std::setprecision(2) << ratio << " | "
          << sartor::bench::ratio(query.idle, query.stock()).value << " | " << std::setprecision(0);
    if (query.compile_milliseconds > 0)
      table << query.compile_milliseconds << " | " << query.code_bytes / 1024 << " |\n";
    else
      table << "no variant | |\n";
    plot << query.name << ' ' << ratio << '\n';
  }
  table << "\nLines changed in SQLite's sources: " << sqlite::lines_changed()
        << "; beside them: " << sqlite::lines_beside() << ".\n";
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: sqlite_study OUTPUT_DIRECTORY\n";
    return EXIT_FAILURE;
  }
  try {
    write(argv[1]);
  } catch (const std::exception &problem) {
    std::cerr << "sqlite_study: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
