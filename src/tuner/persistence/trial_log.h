// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_PERSISTENCE_TRIAL_LOG_H
#define SARTOR_TUNER_PERSISTENCE_TRIAL_LOG_H

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

#include <sartor/strategy.hpp>

#include "tuner/trials_so_far.h"
#include "tuner/variants.h"

namespace sartor {

/// Writes an exploration's trials to the event log: one `trial` event each, or one for some dozens
/// of trials if a trial is a single sample of a few milliseconds. For use by one thread.
class TrialLog {
public:
  /// Adds to `so_far`, too, unless it is null. Both must outlive this object.
  TrialLog(Variants &variants, TrialsSoFar *so_far) : variants_(variants), so_far_(so_far) {}

  void add(const Trial &trial);
  void failed(const Configuration &configuration, const std::string &why) const;
  /// Writes the collected trials.
  void flush();

private:
  struct Collected {
    std::size_t sample_count = 0;
    double score_sum = 0;
    double seconds = 0;
  };

  void write(const Trial &trial) const;
  void write(const Configuration &configuration, const Collected &collected) const;

  Variants &variants_;
  TrialsSoFar *so_far_;
  std::unordered_map<Configuration, Collected> collected_;
};

} // namespace sartor

#endif
