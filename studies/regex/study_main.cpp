// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The study's table, and the data of its plot, written into the given folder. See README.md.

#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>

#include "measure.h"

namespace {

constexpr std::size_t kRounds = 15;

double microseconds(const regex::Samples &samples) {
  return 1e6 * sartor::bench::median(samples).value;
}

void write(const std::filesystem::path &folder) {
  std::filesystem::create_directories(folder);
  std::ofstream table(folder / "tables.md");
  std::ofstream plot(folder / "ratios.dat");
  table << "| pattern | gcc -O2, µs | clang -O3, µs | Sartor, µs | JIT, µs | interpreter ÷ Sartor "
           "| Sartor ÷ JIT | idle ÷ interpreter |\n|---|---|---|---|---|---|---|---|\n"
        << std::fixed;
  double logarithms = 0;
  std::size_t count = 0;
  for (const regex::Pattern &pattern : regex::measure(kRounds)) {
    using sartor::bench::ratio;
    const double faster = ratio(pattern.interpreter(), pattern.sartor).value;
    table << "| " << pattern.name << std::setprecision(0) << " | " << microseconds(pattern.gcc)
          << " | " << microseconds(pattern.clang) << " | " << microseconds(pattern.sartor) << " | "
          << microseconds(pattern.jit) << std::setprecision(2) << " | " << faster << " | "
          << ratio(pattern.sartor, pattern.jit).value << " | "
          << ratio(pattern.idle, pattern.interpreter()).value << " |\n";
    plot << pattern.name << ' ' << faster << ' ' << ratio(pattern.interpreter(), pattern.jit).value
         << '\n';
    logarithms += std::log(faster);
    ++count;
  }
  table << "\nGeometric mean of interpreter ÷ Sartor: "
        << std::exp(logarithms / static_cast<double>(count))
        << ". Lines changed in PCRE2's sources: " << regex::lines_changed()
        << "; beside them: " << regex::lines_beside() << ".\n";
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: regex_study OUTPUT_DIRECTORY\n";
    return EXIT_FAILURE;
  }
  try {
    write(argv[1]);
  } catch (const std::exception &problem) {
    std::cerr << "regex_study: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
