// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_KEEP_TRIAL_KEEPER_H
#define SARTOR_TUNER_KEEP_TRIAL_KEEPER_H

#include <optional>

#include <sartor/strategy.hpp>

namespace sartor {

/// Keeps the trials of an exploration, for one that goes on where it was interrupted. For use by
/// one thread.
class TrialKeeper {
public:
  virtual ~TrialKeeper() = default;
  /// The next trial that was kept and not recalled yet, if it is of this configuration. To be
  /// asked before each trial, failed ones included, in the order in which they are kept.
  virtual std::optional<Trial> recall(const Configuration &configuration) = 0;
  virtual void keep(const Trial &trial) = 0;
  /// Trials that come now cannot be compared with those that were kept.
  virtual void start_anew() = 0;
};

} // namespace sartor

#endif
