// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_MEASURE_GUARDRAIL_H
#define SARTOR_TUNER_MEASURE_GUARDRAIL_H

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <sartor/objective.hpp>
#include <sartor/strategy.hpp>

#include "tuner/evidence/limit.h"
#include "tuner/evidence/looks.h"

namespace sartor {

/// Determines which configurations surely break one of an objective's bounds, from all samples of
/// an exploration, trial by trial. For use by one thread.
class Guardrail {
public:
  /// The probability that a configuration is wrongly found to break a bound is at most
  /// `error_probability`.
  Guardrail(std::span<const Bound> bounds, double error_probability);

  [[nodiscard]] bool has_bounds() const { return !limits_.empty(); }
  void add(const Configuration &configuration, std::span<const BoundSample> measured_samples);
  /// Index of the first bound that the configuration breaks.
  [[nodiscard]] std::optional<std::size_t> broken_by(const Configuration &configuration) const;
  /// True if the configuration breaks a bound, including the current sample.
  [[nodiscard]] bool is_broken_by(const Configuration &configuration,
                                  std::span<const BoundSample> so_far) const;

private:
  struct Seen {
    std::vector<std::vector<BoundSample>> measured_samples; ///< By bound.
    std::optional<std::size_t> broken;
    Looks looks{1};
  };

  std::vector<Limit> limits_;
  double error_probability_;
  std::unordered_map<Configuration, Seen> seen_;
};

} // namespace sartor

#endif
