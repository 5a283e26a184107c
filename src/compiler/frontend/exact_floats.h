// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_EXACT_FLOATS_H
#define SARTOR_COMPILER_FRONTEND_EXACT_FLOATS_H

#include <llvm/IR/Function.h>

#include "compiler/frontend/closure.h"

namespace sartor::compiler {

/// True if the bits of a handler's results depend on how it is compiled, because it or a callee may
/// reorder, approximate or divide by reciprocals (-ffast-math and the like).
[[nodiscard]] bool has_loose_floats(llvm::Function &handler, References &references);

} // namespace sartor::compiler

#endif
