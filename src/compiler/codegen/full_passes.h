// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_FULL_PASSES_H
#define SARTOR_COMPILER_CODEGEN_FULL_PASSES_H

#include <string>

#include <llvm/Passes/PassBuilder.h>

namespace sartor::compiler {

/// What the full tier runs, as text that LLVM parses: the passes of O3 in their order, for modules
/// that compiler::simplify() has been through and whose points are constants. `builder` must have
/// been given register_full_passes() and register_fold_library_calls().
std::string full_passes();

/// Makes names known that LLVM's text lacks.
void register_full_passes(llvm::PassBuilder &builder);

} // namespace sartor::compiler

#endif
