// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_PERSISTENCE_TRIAL_STORE_H
#define SARTOR_TUNER_PERSISTENCE_TRIAL_STORE_H

#include <optional>

#include <sartor/strategy.hpp>

namespace sartor {

/// Stores the trials of an exploration, so that an interrupted one can be resumed. For use by one
/// thread.
class TrialStore {
public:
  virtual ~TrialStore() = default;
  /// Returns the next saved trial that was not recalled yet, if it is of this configuration. Must
  /// be called before each trial, failed ones included, in the order in which trials are saved.
  virtual std::optional<Trial> recall(const Configuration &configuration) = 0;
  virtual void save(const Trial &trial) = 0;
  /// Later trials cannot be compared with the saved ones.
  virtual void start_anew() = 0;
};

} // namespace sartor

#endif
