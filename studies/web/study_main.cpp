// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The study's tables, and the data of its plot, written into the given folder. See
/// README.md.

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>

#include "measure.h"

namespace {

constexpr std::size_t kRounds = 10;

class Table {
public:
  Table(const std::filesystem::path &folder, const web::Measured &measured)
      : measured_(measured), out_(folder / "tables.md"), plot_(folder / "ratios.dat") {
    out_ << "| quantity | stock | sartor-ld | sartor-ld ÷ stock |\n|---|---|---|---|\n"
         << std::fixed;
  }

  void add(const std::string &title, const std::string &quantity) {
    if (!measured_.has(quantity)) {
      out_ << "| " << title << " | not counted on this machine | | |\n";
      return;
    }
    const sartor::bench::Interval ratio = measured_.ratio(quantity);
    out_ << "| " << title;
    write(sartor::bench::median(measured_.stock.at(quantity)), 1);
    write(sartor::bench::median(measured_.loader.at(quantity)), 1);
    write(ratio, 3);
    out_ << " |\n";
    plot_ << '"' << title << "\" " << ratio.value << ' ' << ratio.low << ' ' << ratio.high << '\n';
  }
  void add_first(const std::string &title, const std::string &quantity) {
    out_ << "| " << title << " | ";
    write(sartor::bench::median(measured_.loader.at(quantity)), 1);
    out_ << " | |\n";
  }

private:
  void write(const sartor::bench::Interval &interval, int digits) {
    out_ << " | " << std::setprecision(digits) << interval.value << " [" << interval.low << ", "
         << interval.high << "]";
  }

  const web::Measured &measured_;
  std::ofstream out_;
  std::ofstream plot_;
};

void write(const std::filesystem::path &folder) {
  const web::Measured measured = web::measure(kRounds);
  std::filesystem::create_directories(folder);
  Table table(folder, measured);
  table.add("operations/s, closed loop", "throughput");
  table.add("processor time of an operation, ms", "processor");
  for (const std::string &kind : measured.kinds) {
    table.add(kind + ": mean, ms", "mean." + kind);
    table.add(kind + ": p99, ms", "p99." + kind);
  }
  for (const std::string &server : web::kServers) {
    table.add(server + ": start, ms", "start." + server);
    table.add(server + ": restart, ms", "restart." + server);
    table.add_first(server + ": first start, which plans, ms", "first." + server);
  }
  for (const std::string &event : web::kEvents)
    table.add(event, "count." + event);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: web_study OUTPUT_DIRECTORY\n";
    return EXIT_FAILURE;
  }
  try {
    write(argv[1]);
  } catch (const web::Skipped &) {
    return web::kSkipped;
  } catch (const std::exception &problem) {
    std::cerr << "web_study: " << problem.what() << '\n';
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
