// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plot.h"

#include <chrono>
#include <fstream>
#include <thread>

#include "process.h"

namespace matmul {

namespace {

std::ofstream create(const std::filesystem::path &path) {
  std::ofstream file;
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.open(path);
  return file;
}

/// A data line left of the plot, because gnuplot rejects files without data.
constexpr const char *nothing = "-1 -1 -1 nothing\n";

} // namespace

bool plot(const RunReport &run_report, const Summary &summary,
          const std::filesystem::path &folder) {
  const double origin = run_report.origin();

  std::ofstream throughput = create(folder / "throughput.dat");
  throughput << "# seconds, G madd/s, 1 while exploring\n";
  for (const Sample &sample : run_report.samples)
    throughput << sample.time - origin << ' ' << sample.rate * 1e-9 << ' ' << sample.exploring
               << '\n';

  std::ofstream phases = create(folder / "phases.dat");
  phases << "# begin, end, generic G madd/s, N\n" << nothing;
  for (const PhaseSummary &phase : summary.phases)
    phases << phase.begin - origin << ' ' << phase.begin - origin + phase.seconds << ' '
           << (phase.generic ? std::to_string(phase.generic->mean * 1e-9) : "NaN") << ' ' << phase.n
           << '\n';

  std::ofstream decisions = create(folder / "decisions.dat");
  decisions << "# seconds, G madd/s, configuration\n" << nothing;
  for (const ReportDecision &decision : run_report.decisions)
    decisions << decision.time - origin << ' ' << decision.mean * 1e-9 << ' ' << decision.variant
              << '\n';

  std::ofstream explorations = create(folder / "explorations.dat");
  explorations << "# begin, end\n" << nothing;
  for (const ReportExploration &exploration : run_report.explorations)
    explorations << exploration.began - origin << ' '
                 << exploration.ended.value_or(run_report.samples.back().time) - origin << '\n';

  for (std::ofstream *file : {&throughput, &phases, &decisions, &explorations})
    file->close();
  Process gnuplot({"gnuplot", "-e", "folder='" + folder.string() + "'", MATMUL_PLOT_SCRIPT},
                  folder / "gnuplot.log");
  while (!gnuplot.status())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return gnuplot.status() == 0;
}

} // namespace matmul
