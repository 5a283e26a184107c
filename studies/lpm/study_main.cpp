// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file lpm_study [DIRECTORY]: measures all lookup methods in all sets of the study and writes
/// tables (tables.md) and data for the plots to DIRECTORY.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "family.h"
#include "measure.h"
#include "tree.h"

namespace {

using lpm::Timing;
using lpm::Workload;

constexpr std::size_t kRounds = 15;

struct Column {
  std::string title;
  std::string way;
  bool of_several; ///< True for the fastest of several methods with a common prefix.
};

const std::vector<Column> kColumns = {{"hash tables", lpm::way::generic, false},
                                      {"rte_lpm", lpm::way::rte, false},
                                      {"invariant", lpm::way::invariant, false},
                                      {"FP", lpm::way::fast_path, false},
                                      {"NI", lpm::way::tree, true},
                                      {"NI+FP", lpm::way::both, true},
                                      {"tree in C", lpm::way::handwritten, true}};

/// One measured set as a table row.
struct Line {
  std::string set;
  std::size_t routes;
  std::vector<double> ticks; ///< One value per column.
  std::string tree;          ///< The leaf size of the fastest tree.
};

/// The largest leaf size stands for any number of ranges.
std::string leaf_name(const std::string &leaf_size) {
  return leaf_size == std::to_string(*std::rbegin(lpm::kLeafSizes)) ? "all" : leaf_size;
}

template <class Address> Line measure_line(const lpm::NamedSet<Address> &set, Workload workload) {
  const std::vector<Timing> timings = lpm::measure(set, workload, kRounds);
  Line line{set.name, set.set->routes().size() - 1, {}, {}};
  for (const Column &column : kColumns) {
    const Timing &timing =
        column.of_several ? fastest(timings, column.way) : lpm::timing(timings, column.way);
    line.ticks.push_back(sartor::bench::median(timing.ticks).value);
    if (column.way == lpm::way::tree)
      line.tree = leaf_name(timing.way.substr(lpm::way::tree.size()));
  }
  return line;
}

std::ofstream create(const std::filesystem::path &path) {
  std::ofstream file;
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.open(path);
  return file;
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.1f" : "%.0f", value);
  return text;
}

void write_table(std::ostream &out, const std::string &title, const std::vector<Line> &lines) {
  out << "\n## " << title << "\n\nTicks per lookup.\n\n| routes |";
  for (const Column &column : kColumns)
    out << ' ' << column.title << " |";
  out << " leaf of the best tree |\n|";
  for (std::size_t i = 0; i < kColumns.size() + 2; ++i)
    out << "---|";
  out << '\n';
  for (const Line &line : lines) {
    out << "| " << line.set << " |";
    for (const double ticks : line.ticks)
      out << ' ' << number(ticks) << " |";
    out << ' ' << line.tree << " |\n";
  }
}

void write_data(std::ostream &out, const std::vector<Line> &lines) {
  out << "routes";
  for (const Column &column : kColumns)
    out << " \"" << column.title << '"';
  out << '\n';
  for (const Line &line : lines) {
    out << line.routes;
    for (const double ticks : line.ticks)
      out << ' ' << ticks;
    out << '\n';
  }
}

template <class Address>
void study(std::ostream &tables, const std::filesystem::path &folder, const std::string &file) {
  const std::string family = lpm::Family<Address>::name;
  const auto one = [&](const char *letter, Workload workload) {
    std::vector<Line> lines;
    for (const std::size_t size : lpm::kSizes)
      lines.push_back(measure_line(lpm::workload_set<Address>(size), workload));
    write_table(tables, family + ", workload " + letter, lines);
    const std::string name = file + "_" + (workload == Workload::specific ? "a" : "b") + ".dat";
    auto data = create(folder / name);
    write_data(data, lines);
    data.close();
    std::printf("%s, workload %s: measured\n", family.c_str(), letter);
  };
  one("A (the longest prefixes)", Workload::specific);
  one("B (the default route)", Workload::general);
  write_table(tables, family + ", a table shaped like the Internet's, mixed traffic",
              {measure_line(lpm::internet_set<Address>(), Workload::mixed)});
}

} // namespace

int main(int argc, char **argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "build/studies/lpm";
  try {
    std::filesystem::create_directories(folder);
    auto tables = create(folder / "tables.md");
    tables << "# Longest-prefix match\n";
    study<lpm::Address4>(tables, folder, "ipv4");
    study<lpm::Address6>(tables, folder, "ipv6");
    tables.close();
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "lpm_study: %s\n", error.what());
    return 1;
  }
}
