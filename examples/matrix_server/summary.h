// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_SUMMARY_H
#define MATMUL_SUMMARY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "ideal.h"
#include "run_report.h"

namespace matmul {

/// Multiply-adds per second, with an interval.
struct Throughput {
  double mean = 0;
  double low = 0;
  double high = 0;
  std::size_t windows = 0; ///< The number of samples behind it.
};

/// The effect of Sartor on one phase.
struct PhaseSummary {
  std::uint64_t n;
  double begin; ///< In the event log's clock.
  double seconds;
  /// From the trials of the generic code in this phase; empty if it was not tried.
  std::optional<Throughput> generic = {};
  std::string variant = {}; ///< The chosen configuration.
  /// Its throughput: the explorer's measurement at its choice; the server's samples if the choice
  /// of an earlier phase was kept; the best trial if no choice was made in time.
  Throughput chosen = {};
  /// The reference: the ideal if it was measured, else the throughput of the chosen configuration
  /// outside of trials.
  double ideal = 0;
  std::string best = {}; ///< The configuration of the ideal, if it was measured.
  /// Time from the phase's begin until the server reaches nine tenths of the ideal, both in each
  /// second from then on and on average to the end of the phase.
  double seconds_to_best = 0;
  /// Multiply-adds done ÷ those of the ideal.
  double share_of_ideal = 0;
  double ideal_madds = 0;

  /// Chosen ÷ generic.
  [[nodiscard]] std::optional<double> ratio() const;
};

struct Summary {
  std::vector<PhaseSummary> phases = {};
  double seconds_to_best = 0; ///< That of the slowest phase.
  double share_of_ideal = 0;  ///< Over all phases.
  /// Some generic and chosen throughputs are per second of processor time.
  bool compares_cost = false;
  std::size_t trials = 0;
  std::size_t explorations = 0;
  std::uint64_t guard_failures = 0;
};

/// Summarizes a run, without phases too short for a sample. Compares with `ideals`, by size, as far
/// as they are given.
Summary summarize(const RunReport &run_report, const std::map<std::uint64_t, Ideal> &ideals = {});

/// All numbers of the summary, and `load`, the load generator's report.
nlohmann::ordered_json to_json(const Summary &summary, const nlohmann::ordered_json &load);
/// The summary as text for people.
std::string table(const Summary &summary, const nlohmann::ordered_json &load);

} // namespace matmul

#endif
