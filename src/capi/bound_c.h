// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CAPI_BOUND_C_H
#define SARTOR_CAPI_BOUND_C_H

#include <map>
#include <span>

#include <sartor/bound_argument.hpp>
#include <sartor/c/sartor.h>

namespace sartor {

/// Throws bad_argument.
BoundArgument bound_to(const sartor_argument &argument);
/// Returns the bound arguments, by the index of their parameter. Throws bad_argument.
std::map<unsigned, BoundArgument> bound_arguments(std::span<const sartor_argument> arguments);

} // namespace sartor

#endif
