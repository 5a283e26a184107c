// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_SATURATION_H
#define SARTOR_TUNER_OBJECTIVE_SATURATION_H

#include <chrono>
#include <optional>
#include <stop_token>

#include <sartor/objective.hpp>

namespace sartor {

/// Utilization of the program: of its busiest thread, or of all processors that it may use,
/// whichever is more. From 0 to 1. Measures for `look` on the calling thread, whose own time does
/// not count. Nothing if stopped, or if the system does not report it.
std::optional<double> busy_share(std::chrono::nanoseconds look, const std::stop_token &stop);

/// True if an objective is a rate, or contains one.
bool has_rate(const Objective &objective);

/// Replaces a rate by the cost of a unit of its work: the objective's own cost, or CPU time without
/// the calling thread's. In a weighted objective, replaces each rate in it.
Objective cost_of_unit(const Objective &objective);

} // namespace sartor

#endif
