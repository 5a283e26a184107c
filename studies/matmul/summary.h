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
  /// What it is held against: the best that there is where that was measured, else what the chosen
  /// configuration did when nothing was being tried.
  double ideal = 0;
  std::string best = {}; ///< The configuration that has it, where that was measured.
  /// From the phase's begin until the server does nine tenths of the ideal, in each second from
  /// then on as well as to the end of the phase.
  double seconds_to_best = 0;
  /// Multiply-adds done ÷ those of the ideal.
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

/// Phases too short for a sample are left out. Held against `ideals`, by size, as far as there are
/// some.
Summary summarize(const Story &story, const std::map<std::uint64_t, Ideal> &ideals = {});

/// All numbers of it, and `load`, the load generator's report.
nlohmann::ordered_json to_json(const Summary &summary, const nlohmann::ordered_json &load);
/// As a person reads it.
std::string table(const Summary &summary, const nlohmann::ordered_json &load);

} // namespace matmul

#endif
