// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_SATURATION_H
#define SARTOR_TUNER_OBJECTIVE_SATURATION_H

#include <chrono>
#include <optional>
#include <stop_token>

#include <sartor/objective.hpp>

namespace sartor {

/// How much of what it could the program computes: of the time of its busiest thread, or of all
/// processors that it may use, whichever is more. From 0 to 1. Looks for so long, on the calling
/// thread, whose own time does not count. Nothing if stopped, or where the system does not tell.
std::optional<double> busy_share(std::chrono::nanoseconds look, const std::stop_token &stop);

/// Whether an objective is a rate, or has one.
bool has_rate(const Objective &objective);

/// In place of a rate, what a unit of its work costs: the objective's own cost, or the time of
/// processors without the calling thread's. Of a weighted objective, in place of each rate in it.
Objective cost_of_unit(const Objective &objective);

} // namespace sartor

#endif
