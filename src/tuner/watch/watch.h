// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_WATCH_WATCH_H
#define SARTOR_TUNER_WATCH_WATCH_H

#include <chrono>
#include <stop_token>
#include <string>

#include <sartor/explorer.hpp>

#include "tuner/watch/costs.h"
#include "tuner/watch/drift.h"
#include "tuner/watch/mix.h"
#include "tuner/watch/novelty.h"
#include "tuner/watch/signature.h"

namespace sartor {

/// Watches a running program until its workload changes, and tells the event log. For use by one
/// thread; what it is made from must outlive it.
class Watch {
public:
  /// `explored` is what instrumented points saw while the decision was made; may be empty. With no
  /// rival, a changed cost tells nothing, because there is nothing that it could make
  /// better.
  Watch(const Runtime &runtime, const Objective &objective, const ExplorerOptions &options,
        Costs &costs, bool has_rival, Shape explored);

  /// True when the workload has changed, false when stopped. Throws what the functions of the
  /// objective and of the options do.
  bool run(const std::stop_token &stop);

  /// Of the workload as it was before the change. Says nothing before some windows have passed.
  [[nodiscard]] Signature before() const { return {before_name_, mix_.usual()}; }
  /// Of the last window that was all of one workload: after a change, of the new one.
  [[nodiscard]] Signature now() const { return {name_, mix_.independent(shape_)}; }
  /// After a change: that the rival was seen to do better than what is in force.
  [[nodiscard]] bool rival_leads() const { return drift_.rival_leads(); }

private:
  bool take_beat(const std::stop_token &stop);
  bool take_pair(const std::stop_token &stop);
  [[nodiscard]] double since_last();
  const char *other_mix();
  void begin_window();
  /// Whether the mix has changed.
  bool end_window();
  /// Whether there was mostly what is new.
  bool end_look();
  bool log_change(const char *because) const;

  const Runtime &runtime_;
  const Objective &objective_;
  const ExplorerOptions &options_;
  Costs &costs_;
  Drift drift_;
  Mix mix_;
  Novelty novelty_;
  std::string before_name_, name_;
  Shape shape_;
  Profile seen_, looked_; ///< When the window began, and the look.
  std::chrono::steady_clock::time_point window_began_, look_began_, last_;
  std::size_t pairs_before_ = 0; ///< Up to the last check.
};

/// What the options' function says of the workload now; empty if there is none.
std::string workload_name(const ExplorerOptions &options);

} // namespace sartor

#endif
