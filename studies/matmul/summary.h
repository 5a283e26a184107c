// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_SUMMARY_H
#define MATMUL_SUMMARY_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "story.h"

namespace matmul {

/// Multiply-adds per second, and the interval they lie in.
struct Throughput {
  double mean = 0;
  double low = 0;
  double high = 0;
  std::size_t windows = 0; ///< That it rests on.
};

/// What Sartor did for one phase.
struct PhaseSummary {
  std::uint64_t n;
  double begin; ///< Of the event log's clock.
  double seconds;
  /// From the trials of the generic code in this phase; nothing if it was not tried.
  std::optional<Throughput> generic = {};
  std::string variant = {}; ///< The chosen configuration.
  /// As the explorer measured it when it chose; as the server's samples have it where the choice of
  /// an earlier phase was kept; the best trial where none was made in time.
  Throughput chosen = {};
  /// From the phase's begin until a configuration as good as the chosen one was in force to stay.
  double seconds_to_best = 0;
  /// Multiply-adds done ÷ those that the chosen configuration would have done from the begin on, at
  /// the throughput it had when nothing was being tried.
  double share_of_ideal = 0;
  double ideal_madds = 0;

  /// Chosen ÷ generic.
  [[nodiscard]] std::optional<double> ratio() const;
};

struct Summary {
  std::vector<PhaseSummary> phases = {};
  double seconds_to_best = 0; ///< The slowest phase's.
  double share_of_ideal = 0;  ///< Over all phases.
  std::size_t trials = 0;
  std::size_t explorations = 0;
  std::uint64_t guard_failures = 0;
};

/// Phases too short for a sample are left out.
Summary summarize(const Story &story);

/// All numbers of it, and `load`, the load generator's report.
nlohmann::ordered_json to_json(const Summary &summary, const nlohmann::ordered_json &load);
/// As a person reads it.
std::string table(const Summary &summary, const nlohmann::ordered_json &load);

} // namespace matmul

#endif
