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

constexpr int kBoots = 3;

void write(const std::filesystem::path &folder) {
  using sartor::bench::median;
  std::filesystem::create_directories(folder);
  std::ofstream table(folder / "tables.md");
  std::ofstream plot(folder / "cycles.dat");
  const linux_study::Measured measured = linux_study::measure_sends(kBoots);
  table << "| bytes | __sys_sendto, ticks | handler, generic | customized | customized ÷ "
           "__sys_sendto "
           "| variant, bytes |\n|---|---|---|---|---|---|\n"
        << std::fixed;
  for (const auto &[size, sends] : measured.by_size) {
    const auto ratio = sartor::bench::ratio(sends.token, sends.sendto);
    table << "| " << size << std::setprecision(0) << " | " << median(sends.sendto).value << " | "
          << median(sends.generic).value << " | " << median(sends.token).value
          << std::setprecision(2) << " | " << ratio.value << " [" << ratio.low << ", " << ratio.high
          << "] | " << std::setprecision(0) << median(sends.bytes).value << " |\n";
    plot << size << ' ' << median(sends.sendto).value << ' ' << median(sends.generic).value << ' '
         << median(sends.token).value << '\n';
  }
  table << "\nA request takes " << median(measured.compiled).value << " ms, "
        << std::setprecision(1) << median(measured.cached).value << " ms if it is cached.\n";
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: linux_study OUTPUT_DIRECTORY\n";
    return EXIT_FAILURE;
  }
  try {
    write(argv[1]);
  } catch (const std::exception &problem) {
    std::cerr << "linux_study: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
