// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures QuickJS with Sartor (studies/quickjs): time of programs by stock QuickJS, the
/// best of gcc and clang, both -O3 -march=native, and clang with a profile, for each program, over
/// that with all hot functions specialized. Also measures the overhead with nothing specialized,
/// and what ten functions cost: processor time, code, memory.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <unistd.h>

#include <nlohmann/json.hpp>

#include "harness.h"
#include "lines.h"
#include "measured_program.h"
#include "process.h"

namespace sartor::bench {

const char *const bench_name = "quickjs";

namespace {

namespace fs = std::filesystem;
using studies::MeasuredProgram;

constexpr std::size_t kRounds = 21;
constexpr std::size_t kCostRounds = 5;
constexpr const char *kRunsBefore = "30"; // variants are made meanwhile

MeasuredProgram interpreter(const std::string &kind, const std::string &how,
                            const fs::path &program) {
  return MeasuredProgram({"/usr/bin/env", "QUICKJS_SARTOR=" + how,
                          std::string(STUDY_QUICKJS_BUILT) + "/" + kind + "/qjs",
                          std::string(STUDY_QUICKJS_SOURCE) + "/harness.js", program, kRunsBefore});
}

/// The costs of ten functions (costs.js).
struct Costs {
  Samples milliseconds;
  Samples code_bytes;
  Samples mebibytes; ///< of resident memory
};

void add_costs(Costs &costs, const std::string &kind, const fs::path &log) {
  const Process program({"/usr/bin/env", "QUICKJS_SARTOR=heat=0,wait",
                         "SARTOR_EVENT_LOG=" + log.string(),
                         std::string(STUDY_QUICKJS_BUILT) + "/" + kind + "/qjs",
                         std::string(STUDY_QUICKJS_SOURCE) + "/costs.js"});
  double milliseconds = 0, mebibytes = 0;
  if (!(std::istringstream(program.line()) >> milliseconds >> mebibytes))
    throw std::runtime_error("costs.js does not work");
  costs.milliseconds.push_back(milliseconds);
  costs.mebibytes.push_back(mebibytes);
}

void read_code_bytes(Costs &costs, const fs::path &log) {
  std::ifstream in(log);
  for (std::string line; std::getline(in, line);) {
    const auto event = nlohmann::json::parse(line);
    if (event.value("event", "") == "compile" && event.value("handler", "") == "qsartor_run")
      costs.code_bytes.push_back(event.value("code_bytes", 0.0));
  }
}

std::vector<Figure> measure_costs() {
  const fs::path log = fs::temp_directory_path() / ("quickjs-" + std::to_string(getpid()));
  Costs stock;
  Costs ours;
  for (std::size_t round = 0; round < kCostRounds; ++round) {
    add_costs(stock, "clang", log);
    add_costs(ours, "sartor", log);
  }
  read_code_bytes(ours, log);
  fs::remove(log);
  return {{.name = "processor_time_per_function",
           .unit = "ms",
           .measured = median(ours.milliseconds),
           .goal = at_most(60)},
          {.name = "code_per_function",
           .unit = "bytes",
           .measured = median(ours.code_bytes),
           .goal = at_most(4096)},
          {.name = "resident_over_stock",
           .unit = "MiB",
           .measured = difference(ours.mebibytes, stock.mebibytes, 1),
           .goal = at_most(20)}};
}

std::vector<fs::path> programs() {
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(fs::path(STUDY_QUICKJS_SOURCE) / "programs"))
    files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

} // namespace

std::vector<Figure> measure() {
  std::vector<Samples> faster;
  std::vector<Samples> idle;
  std::vector<Figure> each;
  for (const fs::path &program : programs()) {
    const std::array<MeasuredProgram, 5> interpreters = {
        interpreter("gcc", "", program), interpreter("clang", "", program),
        interpreter("pgo", "", program), interpreter("sartor", "heat=10,wait", program),
        interpreter("sartor", "off", program)};
    std::array<Samples, 5> taken;
    studies::compare(
        program.stem(), interpreters,
        std::array<Samples *, 5>{taken.data(), &taken[1], &taken[2], &taken[3], &taken[4]},
        kRounds);
    const Samples &stock = taken[fastest({taken[0], taken[1], taken[2]})];
    faster.push_back(ratios(stock, taken[3]));
    idle.push_back(ratios(stock, taken[4]));
    each.push_back({.name = program.stem(), .unit = "ratio", .measured = median(faster.back())});
  }
  const fs::path here = STUDY_QUICKJS_SOURCE;
  std::vector<Figure> figures = {
      {.name = "stock_over_sartor_geometric",
       .unit = "ratio",
       .measured = over_all(faster, geometric_mean),
       .goal = at_least(1.8)},
      {.name = "stock_over_sartor_worst",
       .unit = "ratio",
       .measured = over_all(faster, least),
       .goal = at_least(0.98)},
      {.name = "stock_over_idle",
       .unit = "ratio",
       .measured = over_all(idle, geometric_mean),
       .goal = at_least(0.98)},
      {.name = "lines",
       .unit = "lines",
       .measured = exactly(lines_changed(here / "quickjs.patch") + lines_of(here, "qsartor")),
       .goal = at_most(400)}};
  const std::vector<Figure> costs = measure_costs();
  figures.insert(figures.end(), costs.begin(), costs.end());
  figures.insert(figures.end(), each.begin(), each.end());
  return figures;
}

} // namespace sartor::bench
