// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_SATURATION_H
#define SARTOR_TUNER_OBJECTIVE_SATURATION_H

#include <chrono>
#include <optional>
#include <stop_token>

#include <sartor/objective.hpp>
#include <sartor/runtime.hpp>

namespace sartor {

/// Use of the processors by the program, from 0 to 1.
struct ProcessorUse {
  /// Utilization of the program: of its busiest thread, or of all processors that it may use,
  /// whichever is more. A thread that waits for a processor is busy.
  double busy = 0;
  /// The share of the time that the program could have computed in which other programs had its
  /// processors.
  double lost = 0;
};

/// Measures for `look` on the calling thread, whose own time does not count. Nothing if stopped, or
/// if the system does not report it.
std::optional<ProcessorUse> processor_use(std::chrono::nanoseconds look,
                                          const std::stop_token &stop);

/// True if an objective is a rate, or contains one.
bool has_rate(const Objective &objective);

/// Replaces a rate by the cost of a unit of its work: the objective's own cost, or CPU time without
/// the calling thread's. In a weighted objective, replaces each rate in it.
Objective cost_of_unit(const Objective &objective);

/// Returns the objective to be compared: the given one, or the cost of a unit of it if the rate
/// would show something else than the active variant: the offered load, because the program does
/// all the work that there is, or other programs, because these have its processors for much of the
/// time. The choice is reported in the event log.
Objective compared(const Runtime &runtime, const Objective &objective, const std::stop_token &stop);

} // namespace sartor

#endif
