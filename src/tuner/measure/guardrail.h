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

namespace sartor {

/// Which configurations surely break one of an objective's bounds, by all that was read of them in
/// an exploration, trial by trial. For use by one thread.
class Guardrail {
public:
  /// Each configuration is said to break a bound wrongly with `error_probability` at most.
  Guardrail(std::span<const Bound> bounds, double error_probability);

  [[nodiscard]] bool has_bounds() const { return !limits_.empty(); }
  void add(const Configuration &configuration, std::span<const BoundReading> readings);
  /// The first that it breaks.
  [[nodiscard]] std::optional<std::size_t> broken_by(const Configuration &configuration) const;
  /// Whether it does, with a reading that is still under way.
  [[nodiscard]] bool is_broken_by(const Configuration &configuration,
                                  std::span<const BoundReading> so_far) const;

private:
  struct Seen {
    std::vector<std::vector<BoundReading>> readings; ///< Of each bound.
    std::optional<std::size_t> broken;
    std::size_t next_look = 1;
  };

  std::vector<Limit> limits_;
  double error_probability_;
  std::unordered_map<Configuration, Seen> seen_;
};

} // namespace sartor

#endif
