// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "view.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string_view>

#include <unistd.h>

namespace matmul {

namespace {

constexpr std::array<std::string_view, 8> eighths{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/// Draws the last samples as a bar chart in one line.
std::string sparkline(const std::vector<Sample> &samples, double fastest) {
  constexpr std::size_t width = 60;
  std::string line;
  for (std::size_t i = samples.size() - std::min(width, samples.size()); i < samples.size(); ++i) {
    const double height = samples[i].rate / fastest * eighths.size();
    line += eighths[std::min(static_cast<std::size_t>(height), eighths.size() - 1)];
  }
  return line;
}

std::string bar(double share) {
  constexpr int width = 30;
  const int full = static_cast<int>(share * width);
  std::string text;
  for (int i = 0; i < width; ++i)
    text += i < full ? "█" : "░";
  return text;
}

} // namespace

View::View(double expected_seconds)
    : expected_seconds_(expected_seconds), terminal_(isatty(STDOUT_FILENO) == 1) {}

void View::show(const RunReport &run_report) {
  if (run_report.samples.empty() || run_report.phases.empty())
    return;
  if (terminal_)
    draw_table(run_report);
  else
    print_line(run_report);
  std::fflush(stdout);
}

void View::draw_table(const RunReport &run_report) {
  const Sample &now = run_report.samples.back();
  const ReportPhase &phase = run_report.phases.back();
  fastest_ = std::max(fastest_, now.rate);

  std::vector<std::string> table;
  const auto row = [&](const char *format, auto... values) {
    std::array<char, 400> line;
    std::snprintf(line.data(), line.size(), format, values...);
    table.emplace_back(line.data());
  };
  row("%s", "A matrix server that tunes itself");
  row("%s", "");
  row("time            %.1f of about %.0f s", now.time - run_report.origin(), expected_seconds_);
  row("phase           N = %lu for %.1f s", phase.n, phase.end.value_or(now.time) - phase.begin);
  row("throughput      %6.2f G madd/s  %s", now.rate * 1e-9, bar(now.rate / fastest_).c_str());
  row("                %s", sparkline(run_report.samples, fastest_).c_str());
  row("in force        %s%s", now.variant.c_str(), run_report.exploring ? "  (being tried)" : "");
  row("trials          %zu in %zu explorations", run_report.trials.size(),
      run_report.decisions.size() + (run_report.exploring ? 1 : 0));
  row("guard failures  %lu", now.guard_failures);
  row("products        %lu", now.requests);
  row("%s", "");
  for (const std::string &event : run_report.recent)
    table.push_back(event);

  if (lines_ > 0)
    std::printf("\033[%dA", lines_);
  for (const std::string &line : table)
    std::printf("%s\033[K\n", line.c_str());
  lines_ = static_cast<int>(table.size());
}

void View::print_line(const RunReport &run_report) {
  const Sample &now = run_report.samples.back();
  if (now.time - last_printed_ < 0.95)
    return;
  last_printed_ = now.time;
  // Averages over the last second; tenths of it are uneven when products take longer than that.
  const auto before =
      std::find_if(run_report.samples.rbegin(), run_report.samples.rend(),
                   [&](const Sample &sample) { return now.time - sample.time >= 0.95; });
  const double rate =
      before == run_report.samples.rend()
          ? now.rate
          : static_cast<double>(now.madds - before->madds) / (now.time - before->time);
  std::printf("%5.1f s  N = %-4lu  %6.2f G madd/s  %-14s  trials %-5zu  guard failures %lu%s\n",
              now.time - run_report.origin(), run_report.phases.back().n, rate * 1e-9,
              now.variant.c_str(), run_report.trials.size(), now.guard_failures,
              run_report.exploring ? "  exploring" : "");
}

} // namespace matmul
