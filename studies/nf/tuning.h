// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_TUNING_H
#define SARTOR_STUDY_NF_TUNING_H

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

#include "functions.h"
#include "work.h"

namespace nf {

/// The current traffic by ingress port: "external", "internal" or "both"; empty before any packets.
class Phase {
public:
  explicit Phase(const Work &work) : work_(work) {}
  /// Examines the traffic since the last call. Not thread-safe.
  const std::string &now();

private:
  const Work &work_;
  std::string name_;
  std::array<std::uint64_t, nf_sides> seen_{};
  std::chrono::steady_clock::time_point looked_;
};

/// The settings of a function's points. None is guarded: they affect only the speed.
struct Choices {
  std::vector<std::uint32_t> batches{1, 2, 4, 8, 16, 32, 64, 128, 256};
  std::vector<std::uint32_t> ahead{4};
  std::vector<std::uint32_t> at_once{8, 32};
  /// Numbers of flows that fast paths answer; 0: no fast path.
  std::vector<std::uint32_t> answers{0, 64};
};

/// All configurations of these settings.
std::vector<sartor::Configuration> candidates(const sartor::Runtime &runtime,
                                              const Function &function, const Choices &choices);
/// Labels of the function's fast paths.
std::vector<std::string> fast_paths(const sartor::Runtime &runtime, const Function &function);
/// Samples the looked-up keys with a period; 0: stops sampling.
void instrument_fast_paths(sartor::Runtime &runtime, const Function &function, unsigned every);

struct TuningOptions {
  Choices choices = {};
  /// How long keys are sampled before the first trial.
  std::chrono::milliseconds learning{200};
  /// Maximum share of packets' time that exploring may cost.
  double regression_budget = 0.05;
};

/// Adapts a function to its traffic, on a thread of its own: starts with generally good settings,
/// explores with time per packet as the objective when there are packets, and explores again in a
/// new phase. In a phase seen before, its best configuration is activated at once.
class Tuning {
public:
  /// All arguments must outlive this object.
  Tuning(sartor::Runtime &runtime, const Function &function, const Work &work,
         TuningOptions options = {});
  /// Stops; the chosen configuration stays active.
  ~Tuning();
  Tuning(const Tuning &) = delete;
  Tuning &operator=(const Tuning &) = delete;

  /// The number of completed explorations, and the last decision.
  [[nodiscard]] std::size_t explorations() const;
  [[nodiscard]] std::optional<sartor::Decision> decision() const;

private:
  sartor::ExplorerOptions explorer_options();
  void run(const std::stop_token &stop);

  sartor::Runtime &runtime_;
  const Function &function_;
  TuningOptions options_;
  Phase phase_;
  sartor::Explorer explorer_;
  std::jthread thread_;
};

} // namespace nf

#endif
