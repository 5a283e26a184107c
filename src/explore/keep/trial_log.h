// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_KEEP_TRIAL_LOG_H
#define SARTOR_EXPLORE_KEEP_TRIAL_LOG_H

#include <chrono>
#include <cstddef>
#include <string>
#include <unordered_map>

#include <sartor/runtime.hpp>
#include <sartor/strategy.hpp>

namespace sartor {

/// Writes an exploration's trials to the event log: one `trial` event each, or, where a trial is a
/// single slice of a few milliseconds, one for some dozens of them. For use by one thread.
class TrialLog {
public:
  /// `runtime` must outlive it.
  explicit TrialLog(const Runtime &runtime) : runtime_(runtime) {}

  /// `seconds`: how long measuring it took.
  void add(const Trial &trial, double seconds);
  void failed(const Configuration &configuration, const std::string &why) const;
  /// Writes what has been collected.
  void flush();

private:
  struct Collected {
    std::size_t slices = 0;
    double score_sum = 0;
    double seconds = 0;
  };

  void write(const Trial &trial, double seconds) const;
  void write(const Configuration &configuration, const Collected &collected) const;

  const Runtime &runtime_;
  std::unordered_map<Configuration, Collected> collected_;
};

} // namespace sartor

#endif
