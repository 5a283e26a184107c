// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CHANGE_DETECTION_COSTS_H
#define SARTOR_TUNER_CHANGE_DETECTION_COSTS_H

#include <limits>
#include <optional>
#include <stop_token>

namespace sartor {

/// Where there is no cost.
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

/// Source of the cost of a request in the running program for change detection: the objective,
/// normalized so that it does not depend on the offered load. For use by one thread. Members throw
/// what the objective's functions throw.
class Costs {
public:
  /// Costs under the active configuration and under its rival, measured side by side. NaN if there
  /// was no request, or the rival is not available.
  struct Pair {
    double ours;
    double rivals;
    double seconds; ///< Time in which the rival was active, or its share of the calls.
    double work;    ///< CPU seconds spent on taking the pair itself.
  };

  virtual ~Costs() = default;

  /// Samples the cost under the active configuration; NaN if no request came. Empty if stopped.
  virtual std::optional<double> sample(const std::stop_token &stop) = 0;
  /// Measures a pair and restores the previous configuration. Empty if stopped.
  virtual std::optional<Pair> pair(const std::stop_token &stop) = 0;
  /// The objective since the last call, over samples (not pairs), in its own unit.
  virtual double value() = 0;
};

} // namespace sartor

#endif
