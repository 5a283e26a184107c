// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CHANGE_DETECTION_CHANGE_DETECTOR_H
#define SARTOR_TUNER_CHANGE_DETECTION_CHANGE_DETECTOR_H

#include <chrono>
#include <stop_token>
#include <string>

#include <sartor/explorer.hpp>

#include "tuner/change_detection/cost_change_detector.h"
#include "tuner/change_detection/costs.h"
#include "tuner/change_detection/mix.h"
#include "tuner/change_detection/novelty.h"
#include "tuner/change_detection/signature.h"

namespace sartor {

/// Observes a running program until its workload changes, and writes what it finds to the event
/// log. For use by one thread; the constructor's reference arguments must outlive it.
class ChangeDetector {
public:
  /// `explored` is the shape that instrumented points saw while the decision was made; it may be
  /// empty. Without a rival, a changed cost is not reported, because no other configuration could
  /// improve on it.
  ChangeDetector(const Runtime &runtime, const Objective &objective, const ExplorerOptions &options,
                 Costs &costs, bool has_rival, Shape explored);

  /// True when the workload has changed, false when stopped. Throws what the functions of the
  /// objective and of the options throw.
  bool run(const std::stop_token &stop);

  /// Signature of the workload before the change. Empty until some windows have passed.
  [[nodiscard]] Signature before() const { return {before_name_, mix_.usual()}; }
  /// Signature of the last window that had only one workload: after a change, the new one.
  [[nodiscard]] Signature now() const { return {name_, mix_.independent(shape_)}; }
  /// After a change: true if the rival was measured to do better than the active configuration.
  [[nodiscard]] bool rival_leads() const { return cost_change_.rival_leads(); }

private:
  bool take_sample(const std::stop_token &stop);
  bool take_pair(const std::stop_token &stop);
  [[nodiscard]] double since_last();
  const char *other_mix();
  void begin_window();
  /// Ends a window. True if the mix has changed.
  bool end_window();
  /// Ends a look. True if the point saw mostly new inputs.
  bool end_look();
  bool log_change(const char *because) const;

  const Runtime &runtime_;
  const Objective &objective_;
  const ExplorerOptions &options_;
  Costs &costs_;
  CostChangeDetector cost_change_;
  Mix mix_;
  Novelty novelty_;
  std::string before_name_, name_;
  Shape shape_;
  Profile seen_, looked_; ///< Profiles at the start of the window and of the look.
  std::chrono::steady_clock::time_point window_began_, look_began_, last_;
  std::size_t pairs_before_ = 0; ///< Pairs up to the last check.
};

/// Result of the options' function for the workload's name; empty if there is no such function.
std::string workload_name(const ExplorerOptions &options);

} // namespace sartor

#endif
