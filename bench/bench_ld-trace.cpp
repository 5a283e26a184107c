// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures what tracers see of programs that `sartor-ld --observable` starts, and what that
/// option costs. Uprobes on functions of the C library and of the programs are counted under both
/// loaders, if the kernel permits it. Times are processor times of whole runs with cached plans,
/// compared with the default passes and with the stock loader.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "ld.h"
#include "loader/lib/file/elf_file.h"

namespace sartor::bench {

const char *const bench_name = "ld-trace";

namespace {

namespace fs = std::filesystem;

struct Traced {
  std::string name;
  Words command;
  std::vector<std::string> functions{}; ///< The program's own functions to probe.
  std::size_t rounds = 40;
};

const std::vector<Traced> kPrograms{
    {"python3",
     {"/usr/bin/python3", "-S", "-E", "-I", "-c", "x=[str(i) for i in range(200000)]"},
     {"PyObject_Malloc", "PyUnicode_New"}},
    {"perl", {"/usr/bin/perl", "-e", "$x{$_} = \"$_\" for 1..100000"}, {"Perl_newSVsv"}},
    {"sqlite3",
     {"/usr/bin/sqlite3", ":memory:",
      "with recursive n(i) as (select 1 union all select i+1 from n where i<200000) select sum(i) "
      "from n"}},
    {"bash", {"/usr/bin/bash", "-c", "for ((i = 0; i < 50000; ++i)); do x=$i; done"}},
    {"git", {"/usr/bin/git", "--version"}, {}, 100},
    {"true", {"/usr/bin/true"}, {}, 200},
};

Words observable(const Words &program) {
  Words all{beside_this("sartor-ld"), "--strict", "--observable", "--"};
  all.insert(all.end(), program.begin(), program.end());
  return all;
}

/// Writes to a file of the kernel's tracing.
void put(const fs::path &file, const std::string &text) {
  const int to = open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const bool is_written =
      to >= 0 && write(to, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (to >= 0)
    close(to);
  if (!is_written)
    throw std::runtime_error(file.string() + " cannot be written");
}

const fs::path kTracing = "/sys/kernel/tracing";

/// Uprobes that count the calls of functions in one process.
class Probes {
public:
  Probes() : group_("sartor_bench_" + std::to_string(getpid())) {
    fs::create_directory(instance());
  }
  Probes(const Probes &) = delete;
  Probes &operator=(const Probes &) = delete;
  ~Probes() {
    try {
      if (!names_.empty())
        put(instance() / "events" / group_ / "enable", "0");
      fs::remove(instance());
      for (const std::string &name : names_)
        put(kTracing / "uprobe_events", "-:" + group_ + "/" + name);
    } catch (const std::exception &error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
  }

  /// Adds a probe, if the file has the function.
  void add(const fs::path &path, const std::string &function) {
    const auto file = loader::ElfFile::open(path);
    if (!file)
      throw std::runtime_error(file.error().text());
    for (const loader::Symbol &symbol : file->symbols()) {
      if (symbol.name != function || !symbol.is_defined)
        continue;
      for (const loader::Segment &segment : file->segments())
        if (segment.protection.execute && segment.holds(symbol.address)) {
          const std::string name = "p" + std::to_string(names_.size());
          put(kTracing / "uprobe_events",
              "p:" + group_ + "/" + name + " " + path.string() + ":" +
                  std::to_string(symbol.address - segment.address + segment.offset));
          names_.push_back(name);
        }
      return;
    }
  }

  /// Returns the number of calls in the process of a command, once it has the program's name.
  double count(const std::string &name, const Words &command) const {
    const fs::path events = instance() / "events" / group_;
    put(events / "filter", "common_pid == 0");
    put(events / "enable", "1");
    Words all{"/bin/sh", "-c",
              "echo \"common_pid == $$ && comm == '" + name + "'\" >" +
                  (events / "filter").string() + "; exec \"$@\"",
              "sh"};
    all.insert(all.end(), command.begin(), command.end());
    std::ofstream(instance() / "trace", std::ios::trunc).flush();
    run(all);
    put(events / "enable", "0");
    double entries = 0;
    for (const auto &processor : fs::directory_iterator(instance() / "per_cpu")) {
      std::ifstream statistics(processor.path() / "stats");
      for (std::string word; statistics >> word;)
        if (word == "entries:" || word == "overrun:") {
          double number = 0;
          statistics >> number;
          entries += number;
        }
    }
    return entries;
  }

private:
  [[nodiscard]] fs::path instance() const { return kTracing / "instances" / group_; }

  std::string group_;
  std::vector<std::string> names_;
};

bool may_probe() { return access((kTracing / "uprobe_events").c_str(), W_OK) == 0; }

/// Returns the path of the C library, by the mappings of this process.
fs::path c_library() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("/libc.so") != std::string::npos)
      return line.substr(line.find('/'));
  throw std::runtime_error("this program has no C library");
}

/// Returns the calls under sartor-ld ÷ those under the stock loader.
double fired(const Traced &traced) {
  Probes probes;
  for (const char *function : {"malloc", "free", "getenv", "setlocale", "exit"})
    probes.add(c_library(), function);
  for (const std::string &function : traced.functions)
    probes.add(fs::canonical(traced.command[0]), function);
  const double stock = probes.count(traced.name, traced.command);
  return stock == 0 ? 0 : probes.count(traced.name, observable(traced.command)) / stock;
}

} // namespace

std::vector<Figure> measure() {
  const Place place;
  setenv("PERL_HASH_SEED", "0", 1);
  std::vector<Figure> figures;
  std::vector<Samples> by_default;
  for (const Traced &traced : kPrograms) {
    if (!is_there(traced.command[0])) {
      std::printf("%s: is not there\n", traced.name.c_str());
      continue;
    }
    const std::vector<Samples> times =
        interleave_samples({[&] { return run(kStock.command(traced.command)).cpu; },
                            [&] { return run(kBoth.command(traced.command)).cpu; },
                            [&] { return run(observable(traced.command)).cpu; }},
                           rounds(traced.rounds));
    by_default.push_back(ratios(times[2], times[1]));
    if (may_probe()) {
      const double share = fired(traced);
      figures.push_back({.name = "fired_over_stock_" + traced.name,
                         .unit = "ratio",
                         .measured = {share, share, share},
                         .goal = at_least(1)});
    }
    figures.push_back({.name = "observable_over_default_" + traced.name,
                       .unit = "ratio",
                       .measured = ratio(times[2], times[1])});
    figures.push_back({.name = "observable_over_stock_" + traced.name,
                       .unit = "ratio",
                       .measured = ratio(times[2], times[0])});
  }
  if (by_default.empty())
    throw std::runtime_error("none of the programs is there");
  if (!may_probe())
    std::printf("no probes are counted: uprobes cannot be used here\n");
  figures.insert(figures.begin(), {.name = "observable_over_default_mean",
                                   .unit = "ratio",
                                   .measured = over_all(by_default, geometric_mean),
                                   .goal = at_most(1.005)});
  return figures;
}

} // namespace sartor::bench
