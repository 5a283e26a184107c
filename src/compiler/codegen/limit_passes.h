// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_LIMIT_PASSES_H
#define SARTOR_COMPILER_CODEGEN_LIMIT_PASSES_H

#include <llvm/IR/PassInstrumentation.h>

#include "core/compiler/pass_limit.h"

namespace sartor::compiler {

/// Lets only the first optional passes run. `limit` must outlive the callbacks.
void limit_passes(llvm::PassInstrumentationCallbacks &callbacks, core::PassLimit &limit);

} // namespace sartor::compiler

#endif
