// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_COMPARED_H
#define SARTOR_TUNER_OBJECTIVE_COMPARED_H

#include <stop_token>

#include <sartor/objective.hpp>
#include <sartor/runtime.hpp>

namespace sartor {

/// Returns the objective to be compared: the given one, or the cost of a unit of it if the rate
/// would show something else than the active variant: the offered load, because the program does
/// all the work that there is, or other programs, because these have its processors for much of the
/// time. The choice is reported in the event log.
Objective compared(const Runtime &runtime, const Objective &objective, const std::stop_token &stop);

} // namespace sartor

#endif
