// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_GENERATE_H
#define SARTOR_RUNTIME_JIT_GENERATE_H

#include <string>

#include <sartor/space.hpp>

#include "base/result.h"
#include "core/request/context.h"

namespace sartor::runtime {

/// Calls the generators of the custom points that are set, and compiles C among the results to LLVM
/// IR: the context returned has text instead of generators, so that any compiler and cache can
/// answer it. `target` is clang's name of the target; empty for this machine. Fails with
/// bad_generator, no_clang, unknown_custom_kind.
Result<core::Context> generate(core::Context context, const Space &space,
                               const std::string &target = {});

} // namespace sartor::runtime

#endif
