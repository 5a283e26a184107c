// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CAPI_OBJECTIVE_C_H
#define SARTOR_CAPI_OBJECTIVE_C_H

#include <sartor/c/explorer.h>
#include <sartor/objective.hpp>

/// Converts a C program's description of an objective. Throws bad_objective, and bad_argument
/// for null pointers.
sartor::Objective objective_of(const sartor_objective &given);

#endif
