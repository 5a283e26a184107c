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

/// Arguments as the handler's parameters hold them: equal ones are the same. Fails with
/// bad_binding.
Result<BoundArguments> fit_arguments(const core::HandlerModule::Handler &handler,
                                     const BoundArguments &arguments);

/// Whether the handler has such parameters. Fails with bad_binding.
Result<void> check_parameters(const core::HandlerModule::Handler &handler,
                              std::span<const unsigned> indices);

/// Whether a function that takes only the parameters that are not bound is given them where the
/// handler wants them: a structure that comes in memory for want of registers might come in
/// registers. Fails with bad_binding.
Result<void> check_rest_is_passed_alike(const core::HandlerModule::Handler &handler,
                                        const BoundArguments &bound);

} // namespace sartor

#endif
