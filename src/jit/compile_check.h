// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_COMPILE_CHECK_H
#define SARTOR_JIT_COMPILE_CHECK_H

#include <sartor/options.hpp>

#include "observe/result.h"

namespace sartor::jit {

/// Whether a pipeline can be parsed and its plugins loaded. Fails with bad_pipeline.
Result<void> check_pipeline(const Pipeline &pipeline);

} // namespace sartor::jit

#endif
