// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_TRIALS_SO_FAR_H
#define SARTOR_TUNER_TRIALS_SO_FAR_H

#include <chrono>
#include <cstddef>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include <sartor/strategy.hpp>

#include "base/thread/mutex.h"

namespace sartor {

/// The trials of the exploration under way, for operators. For use by any thread.
class TrialsSoFar {
public:
  /// Forgets earlier trials.
  void begin(std::size_t candidates) SARTOR_EXCLUDES(mutex_);
  void add(const Trial &trial) SARTOR_EXCLUDES(mutex_);
  void add_failed() SARTOR_EXCLUDES(mutex_);

  /// `candidates`, `seconds`, `samples`, `tried`, `failed`, and `best`, an array of the best
  /// configurations in order.
  [[nodiscard]] nlohmann::ordered_json status() const SARTOR_EXCLUDES(mutex_);

private:
  struct Tried {
    std::size_t samples = 0;
    double score_sum = 0; ///< Of all samples.

    [[nodiscard]] double score() const { return score_sum / static_cast<double>(samples); }
  };

  mutable base::Mutex mutex_;
  std::size_t candidates_ SARTOR_GUARDED_BY(mutex_) = 0;
  std::size_t failed_ SARTOR_GUARDED_BY(mutex_) = 0;
  std::chrono::steady_clock::time_point
      begin_ SARTOR_GUARDED_BY(mutex_) = std::chrono::steady_clock::now();
  std::unordered_map<Configuration, Tried> tried_ SARTOR_GUARDED_BY(mutex_);
};

} // namespace sartor

#endif
