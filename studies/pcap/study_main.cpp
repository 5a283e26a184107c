// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The study's table, and the data of its plot, written into the given folder. See README.md.

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>

#include "measure.h"

namespace {

constexpr std::size_t kRounds = 7;

double nanoseconds(const pcap::Samples &samples) { return sartor::bench::median(samples).value; }

double stock_over_sartor(const pcap::Times &times) {
  return sartor::bench::ratio(times.stock(), times.sartor).value;
}

/// Escapes bars, which would begin the next column.
std::string escaped(const std::string &text) {
  std::string escaped;
  for (const char c : text)
    escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

void write_row(std::ostream &table, const pcap::Filter &filter) {
  const pcap::Times &alone = filter.in_memory;
  table << "| " << escaped(filter.name()) << " | " << filter.result << std::setprecision(1) << " | "
        << nanoseconds(alone.gcc) << " | " << nanoseconds(alone.clang) << " | "
        << nanoseconds(alone.sartor) << std::setprecision(2) << " | " << stock_over_sartor(alone)
        << " | " << sartor::bench::ratio(alone.idle, alone.stock()).value << std::setprecision(1)
        << " | " << nanoseconds(filter.of_file.stock()) << std::setprecision(2) << " | "
        << stock_over_sartor(filter.of_file) << " |\n";
}

void write(const std::filesystem::path &folder) {
  std::filesystem::create_directories(folder);
  std::ofstream table(folder / "tables.md");
  std::ofstream plot(folder / "ratios.dat");
  table
      << "| filter | accepts | gcc -O2, ns | clang -O3, ns | Sartor, ns | stock ÷ Sartor | idle ÷ "
         "stock | reading a file, stock, ns | stock ÷ Sartor |\n"
         "|---|---|---|---|---|---|---|---|---|\n"
      << std::fixed;
  for (const pcap::Filter &filter : pcap::measure(kRounds)) {
    write_row(table, filter);
    plot << stock_over_sartor(filter.in_memory) << ' ' << stock_over_sartor(filter.of_file) << '\n';
  }
  table << "\nReading the file without a filter: "
        << nanoseconds(pcap::measure_without_filter(kRounds)) << " ns a packet.\n"
        << "Lines changed in libpcap's sources: " << pcap::lines_changed()
        << "; beside them: " << pcap::lines_beside() << ".\n";
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: pcap_study OUTPUT_DIRECTORY\n";
    return EXIT_FAILURE;
  }
  try {
    write(argv[1]);
  } catch (const std::exception &problem) {
    std::cerr << "pcap_study: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
