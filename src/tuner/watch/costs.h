// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_WATCH_COSTS_H
#define SARTOR_TUNER_WATCH_COSTS_H

#include <optional>
#include <stop_token>

namespace sartor {

/// What a request costs in the running program, as the watch reads it: the objective, normalised
/// so that the offered load is no part of it. For use by one thread. Members throw what the
/// objective's functions do.
class Costs {
public:
  /// What is in force and its rival, side by side. No numbers if there was no request, or the rival
  /// cannot be had.
  struct Pair {
    double ours;
    double rivals;
    double seconds; ///< In which the rival was in force, or its share of them.
    double work;    ///< Seconds of CPU that taking the pair took itself.
  };

  virtual ~Costs() = default;

  /// Of what is in force, over a beat; no number if no request came. Nothing if stopped.
  virtual std::optional<double> beat(const std::stop_token &stop) = 0;
  /// What was in force is again. Nothing if stopped.
  virtual std::optional<Pair> pair(const std::stop_token &stop) = 0;
  /// The objective since the last call, of beats alone, in its own unit.
  virtual double value() = 0;
};

} // namespace sartor

#endif
