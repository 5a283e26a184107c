// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What starting a program costs with sartor-ld when its plan is cached, against the stock loader:
/// the time of a whole run with next to nothing to do, from the start of the process until its end
/// is known. Both runs of a round come right after one another, in random order.

#include <cstdio>
#include <string>

#include "ld.h"

namespace sartor::bench {

const char *const bench_name = "ld-start";

namespace {

struct Trivial {
  std::string name;
  Words command;
  std::size_t rounds = 200;
};

const std::vector<Trivial> kPrograms{
    {"redis", {"redis-server", "--version"}},
    {"python3", {"/usr/bin/python3", "-S", "-E", "-I", "-c", "pass"}},
    {"git", {"git", "--version"}},
    {"sqlite3", {"sqlite3", "--version"}},
    {"openssl", {"openssl", "version"}},
    {"curl", {"curl", "--version"}},
    {"perl", {"/usr/bin/perl", "-e", "1"}},
    {"psql", {"psql", "--version"}},
    {"node", {"node", "--version"}, 60},
    {"java", {"java", "-version"}, 40},
};

/// psql is a script of Debian's that starts the real one, java a link.
Words real(const Place &place, Words command) {
  if (command[0] == "psql") {
    std::string directory = output_of(place, {"pg_config", "--bindir"});
    command[0] = directory.substr(0, directory.find('\n')) + "/psql";
  }
  return command;
}

} // namespace

std::vector<Figure> measure() {
  const Place place;
  std::vector<Figure> figures;
  std::vector<Figure> added;
  for (const Trivial &trivial : kPrograms) {
    Words command = trivial.command;
    if (command[0] == "psql" && !is_there("pg_config"))
      continue;
    command = real(place, command);
    if (!is_there(command[0])) {
      std::printf("%s: is not there\n", command[0].c_str());
      continue;
    }
    std::vector<std::function<double()>> alternatives;
    for (const Way &way : {kStock, kNone, kBoth})
      alternatives.emplace_back([&, way] { return run(way.command(command)).wall; });
    const std::vector<Samples> times = interleave_samples(alternatives, rounds(trivial.rounds));
    const bool is_redis = trivial.name == "redis";
    figures.push_back({.name = "sartor_over_stock_" + trivial.name,
                       .unit = "ratio",
                       .measured = ratio(times[2], times[0]),
                       .goal = is_redis ? at_most(1.5) : Goal{},
                       .paper = is_redis ? std::optional(6.4) : std::nullopt});
    added.push_back({.name = "added_ms_" + trivial.name,
                     .unit = "ms",
                     .measured = difference(times[2], times[0], 1),
                     .goal = at_most(5)});
    added.push_back({.name = "added_ms_none_" + trivial.name,
                     .unit = "ms",
                     .measured = difference(times[1], times[0], 1)});
    added.push_back(
        {.name = "stock_ms_" + trivial.name, .unit = "ms", .measured = median(times[0])});
  }
  figures.insert(figures.end(), added.begin(), added.end());
  return figures;
}

} // namespace sartor::bench
