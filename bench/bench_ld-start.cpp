// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the time to start a program by sartor-ld with a cached plan, compared with the
/// stock loader: the wall time of a whole run with almost no work, from the start of the process
/// until its end is known. All runs of a round follow immediately after one another, in random
/// order. The program exec_only gives the minimal cost of a loader that is a separate program: it
/// executes `true` and does nothing else.

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include "ld.h"

namespace sartor::bench {

const char *const bench_name = "ld-start";

namespace {

struct Trivial {
  std::string name;
  Words command;
  Goal goal{};
  std::optional<double> paper{};
  std::size_t rounds = 200;
};

const std::vector<Trivial> kPrograms{
    {"redis", {"redis-server", "--version"}, at_most(1.5), 6.4},
    {"python3", {"/usr/bin/python3", "-S", "-E", "-I", "-c", "pass"}},
    {"git", {"git", "--version"}},
    {"sqlite3", {"sqlite3", "--version"}},
    {"openssl", {"openssl", "version"}},
    {"curl", {"curl", "--version"}},
    {"perl", {"/usr/bin/perl", "-e", "1"}},
    {"psql", {"psql", "--version"}},
    {"node", {"node", "--version"}, {}, {}, 60},
    {"java", {"java", "-version"}, {}, {}, 40},
    {"true", {"/usr/bin/true"}, at_most(1.1)},
    {"bash", {"bash", "-c", ":"}, at_most(1.1)},
    {"tmux", {"tmux", "-V"}, at_most(1.1)},
    {"clang", {"clang-22", "--version"}},
    {"lld", {"ld.lld-22", "--version"}},
    {"cmake", {"cmake", "--version"}},
    {"vim", {"vim", "--version"}},
    {"ruby", {"ruby", "-e", "1"}},
    {"gdb", {"/usr/bin/gdb", "--version"}},
    {"R", {"R", "--version"}},
    {"gnuplot", {"gnuplot", "--version"}},
};

/// Returns the real command: two of the programs are scripts that start another one.
Words real(const Place &place, Words command) {
  if (command[0] == "psql" && is_there("pg_config")) {
    std::string directory = output_of(place, {"pg_config", "--bindir"});
    command[0] = directory.substr(0, directory.find('\n')) + "/psql";
  } else if (command[0] == "R") {
    command[0] = "/usr/lib/R/bin/exec/R";
  }
  return command;
}

Words after_exec_only(const Words &command) {
  Words all{beside_this("exec_only")};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

} // namespace

std::vector<Figure> measure() {
  const Place place;
  std::vector<Figure> figures;
  std::vector<Figure> added;
  std::vector<Samples> all;
  setenv("R_HOME", "/usr/lib/R", 1); // as its script does
  for (const Trivial &trivial : kPrograms) {
    const Words command = real(place, trivial.command);
    if (!is_there(command[0])) {
      std::printf("%s: is not there\n", trivial.name.c_str());
      continue;
    }
    std::vector<std::function<double()>> alternatives;
    for (const Way &way : {kStock, kNone, kBoth})
      alternatives.emplace_back([&, way] { return run(way.command(command)).wall; });
    const bool is_true = trivial.name == "true";
    if (is_true)
      alternatives.emplace_back([&] { return run(after_exec_only(command)).wall; });
    const std::vector<Samples> times = interleave_samples(alternatives, rounds(trivial.rounds));
    all.push_back(ratios(times[2], times[0]));
    figures.push_back({.name = "sartor_over_stock_" + trivial.name,
                       .unit = "ratio",
                       .measured = ratio(times[2], times[0]),
                       .goal = trivial.goal,
                       .paper = trivial.paper});
    added.push_back({.name = "added_ms_" + trivial.name,
                     .unit = "ms",
                     .measured = difference(times[2], times[0], 1),
                     .goal = at_most(5)});
    added.push_back({.name = "added_ms_none_" + trivial.name,
                     .unit = "ms",
                     .measured = difference(times[1], times[0], 1)});
    added.push_back(
        {.name = "stock_ms_" + trivial.name, .unit = "ms", .measured = median(times[0])});
    if (is_true)
      added.push_back(
          {.name = "exec_over_stock_true", .unit = "ratio", .measured = ratio(times[3], times[0])});
  }
  if (all.empty())
    throw std::runtime_error("none of the programs is there");
  figures.insert(figures.begin(), {.name = "sartor_over_stock_mean",
                                   .unit = "ratio",
                                   .measured = over_all(all, geometric_mean),
                                   .goal = at_most(0.95)});
  figures.insert(figures.end(), added.begin(), added.end());
  return figures;
}

} // namespace sartor::bench
