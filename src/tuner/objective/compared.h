// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_OBJECTIVE_COMPARED_H
#define SARTOR_TUNER_OBJECTIVE_COMPARED_H

#include <stop_token>

#include <sartor/objective.hpp>
#include <sartor/runtime.hpp>

namespace sartor {

/// What is compared: the objective, or what a unit of it costs where the program does all that
/// there is to do, which is told in the event log.
Objective compared(const Runtime &runtime, const Objective &objective, const std::stop_token &stop);

} // namespace sartor

#endif
