// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_DETECTOR_REPLAY_H
#define SARTOR_BENCH_NOISE_DETECTOR_REPLAY_H

#include <cstddef>
#include <limits>
#include <optional>

#include "tuner/change_detection/cost_change_detector.h"
#include "tuner/change_detection/mix.h"
#include "watched.h"

namespace sartor::bench {

/// A change that is inserted into a recording.
struct Change {
  std::size_t at = std::numeric_limits<std::size_t>::max(); ///< The first changed step.
  double ours = 1;       ///< Factor on the active variant's cost.
  double rivals = 1;     ///< Factor on the rival's cost.
  double other_kind = 0; ///< Share of requests that become requests of the last kind.
};

/// Change detection that begins at some step of a recording: the classes that an Explorer uses,
/// with its defaults.
class DetectorReplay {
public:
  /// `watched` must outlive the replay.
  DetectorReplay(const Watched &watched, std::size_t from, const Change &change);

  /// Continues up to a step; returns the step at which a change of the workload was detected, if
  /// any.
  std::optional<std::size_t> run(std::size_t end);
  [[nodiscard]] const CostChangeDetector &drift() const { return cost_change_; }
  /// Returns the reason of the alarm.
  [[nodiscard]] const char *because() const;
  [[nodiscard]] double seconds_in_rival() const;

private:
  bool end_window();
  [[nodiscard]] bool is_changed(std::size_t step) const { return step >= change_.at; }

  const Watched &watched_;
  const Change change_;
  std::size_t step_;
  std::size_t window_; ///< The window whose end comes next.
  bool other_mix_ = false;
  CostChangeDetector cost_change_{{}};
  Mix mix_;
};

} // namespace sartor::bench

#endif
