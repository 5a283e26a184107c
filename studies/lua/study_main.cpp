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

constexpr std::size_t kRounds = 15;

double milliseconds(const lua::Samples &samples) {
  return 1e3 * sartor::bench::median(samples).value;
}

void write(const std::filesystem::path &folder) {
  std::filesystem::create_directories(folder);
  std::ofstream table(folder / "tables.md");
  std::ofstream plot(folder / "ratios.dat");
  table
      << "| program | gcc -O2, ms | clang -O3, ms | Sartor, ms | stock ÷ Sartor | idle ÷ stock |\n"
         "|---|---|---|---|---|---|\n"
      << std::fixed;
  for (const lua::Program &program : lua::measure(kRounds)) {
    const double ratio = sartor::bench::ratio(program.stock(), program.sartor).value;
    table << "| " << program.name << std::setprecision(1) << " | " << milliseconds(program.gcc)
          << " | " << milliseconds(program.clang) << " | " << milliseconds(program.sartor) << " | "
          << std::setprecision(2) << ratio << " | "
          << sartor::bench::ratio(program.idle, program.stock()).value << " |\n";
    plot << program.name << ' ' << ratio << '\n';
  }
  table << "\nLines changed in Lua's sources: " << lua::lines_changed()
        << "; beside them: " << lua::lines_beside() << ".\n";
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: lua_study OUTPUT_DIRECTORY\n";
    return EXIT_FAILURE;
  }
  try {
    write(argv[1]);
  } catch (const std::exception &problem) {
    std::cerr << "lua_study: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
