// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_EXACT_FLOATS_H
#define SARTOR_COMPILER_FRONTEND_EXACT_FLOATS_H

#include <llvm/IR/Function.h>

#include "compiler/frontend/closure.h"

namespace sartor::compiler {

/// Whether the bits that a handler computes depend on how it is compiled: it, or what it calls, may
/// reorder, approximate or divide by way of reciprocals (-ffast-math and the like).
[[nodiscard]] bool has_loose_floats(llvm::Function &handler, References &references);

} // namespace sartor::compiler

#endif
