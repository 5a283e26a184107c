// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_RUN_REPORT_H
#define MATMUL_RUN_REPORT_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matmul {

/// The server's work on requests of one size. Times are in seconds of the event log's clock.
struct ReportPhase {
  std::uint64_t n;
  double begin;
  std::optional<double> end; ///< Empty until the phase ends.
};

/// A sample of the server's counters.
struct Sample {
  double time;
  double rate;         ///< Multiply-adds per second since the previous sample.
  std::uint64_t madds; ///< Since the start, as are the two below.
  std::uint64_t requests;
  std::uint64_t guard_failures;
  std::string variant; ///< The active configuration.
  bool exploring;      ///< True if it was active for a trial only.
};

/// One trial of the explorer.
struct ReportTrial {
  double time; ///< The end of the trial.
  double seconds;
  double score;
  std::string variant;
};

/// An exploration.
struct ReportExploration {
  double began;
  std::optional<double> ended; ///< Empty until it has decided or another one has begun.
  /// The explorer compares processor time per multiply-add, because the server is not busy or other
  /// programs have its processors. Scores and means are rates in any case: multiply-adds per second
  /// of processor time then.
  bool compares_cost;
};

/// The decision of an exploration.
struct ReportDecision {
  double time;
  double mean;
  double low;
  double high;
  std::uint64_t windows;
  std::string variant;
};

/// The contents of an event log, in order of time.
class RunReport {
public:
  /// The log need not exist yet.
  explicit RunReport(std::filesystem::path log) : log_(std::move(log)) {}

  /// Reads events written since the last call. Skips malformed lines.
  void read_on();

  /// When the first phase began: the zero of displayed times.
  [[nodiscard]] double origin() const { return phases.empty() ? 0 : phases.front().begin; }

  std::vector<ReportPhase> phases;
  std::vector<Sample> samples;
  std::vector<ReportTrial> trials;
  std::vector<ReportExploration> explorations;
  std::vector<ReportDecision> decisions;
  bool exploring = false;
  std::deque<std::string> recent; ///< The last notable events, as text for people.

private:
  void add(std::string_view line);
  /// A score or mean of the explorer as a rate.
  [[nodiscard]] double rate_of(double score) const;

  std::filesystem::path log_;
  std::ifstream file_;
  std::string unfinished_; ///< The last line if its end has not been written yet.
};

/// Formats `{B=8!,N=256}` for display, without the mark that B has no guard.
std::string without_marks(std::string variant);

} // namespace matmul

#endif
