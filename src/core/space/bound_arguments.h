// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_BOUND_ARGUMENTS_H
#define SARTOR_CORE_SPACE_BOUND_ARGUMENTS_H

#include <map>
#include <span>

#include <sartor/bound_argument.hpp>

#include "base/result.h"
#include "core/space/module.h"

namespace sartor {

using BoundArguments = std::map<unsigned, BoundArgument>; ///< By the parameter's index.

/// Converts arguments to the form of the handler's parameters: equal values become identical. Fails
/// with bad_binding.
Result<BoundArguments> fit_arguments(const core::HandlerModule::Handler &handler,
                                     const BoundArguments &arguments);

/// Checks that the handler has such parameters. Fails with bad_binding.
Result<void> check_parameters(const core::HandlerModule::Handler &handler,
                              std::span<const unsigned> indices);

/// Checks that a function that takes only the unbound parameters receives them where the handler
/// expects them: a structure that is passed in memory, because registers have run out, might be
/// passed in registers then. Fails with bad_binding.
Result<void> check_rest_is_passed_alike(const core::HandlerModule::Handler &handler,
                                        const BoundArguments &bound);

} // namespace sartor

#endif
