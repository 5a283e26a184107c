// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_WATCH_WATCH_H
#define SARTOR_EXPLORE_WATCH_WATCH_H

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include <sartor/explorer.hpp>

#include "explore/watch/change_monitor.h"
#include "explore/watch/signature.h"
#include "explore/watch/watch_costs.h"

namespace sartor {

/// Watches a running program until its workload changes, and tells the event log. For use by one
/// thread; what it is made from must outlive it.
class Watch {
public:
  /// With no costs, only shapes and the program's own signature tell. With no rival, a changed cost
  /// tells nothing, because there is nothing that it could make better.
  Watch(const Runtime &runtime, const Objective &objective, const ExplorerOptions &options,
        Costs &costs, bool has_rival);

  /// True when the workload has changed, false when stopped. Throws what the functions of the
  /// objective and of the options do.
  bool run(const std::stop_token &stop);

  /// Of the last window that was all of one workload: after a change, of the new one.
  [[nodiscard]] const Signature &signature() const noexcept { return signature_; }

private:
  bool take_beat(const std::stop_token &stop);
  bool take_pair(const std::stop_token &stop);
  void end_window();
  void begin_window();
  void end_check();
  void log_change(const char *because) const;

  const Runtime &runtime_;
  const Objective &objective_;
  const ExplorerOptions &options_;
  Costs &costs_;
  ChangeMonitor monitor_;
  Signature signature_;
  Profile seen_; ///< When the window began.
  std::chrono::steady_clock::time_point window_began_;
  std::size_t pairs_before_ = 0; ///< When the check under way began.
  std::size_t fruitless_ = 0;    ///< Pairs without numbers in a row.
};

/// What the options' function says of the workload now; empty if there is none.
std::string workload_name(const ExplorerOptions &options);

/// The plain rule: returns true when the objective has moved by the options' share of what it was,
/// in so many windows in a row; false if stopped. With an expected score, a system that falls short
/// of it from the start counts as changed: the workload moved while the race ended.
bool watch_threshold(const Runtime &runtime, const Objective &objective,
                     const ExplorerOptions &options, std::optional<double> expected,
                     const std::stop_token &stop);

} // namespace sartor

#endif
