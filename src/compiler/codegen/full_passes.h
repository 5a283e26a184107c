// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_FULL_PASSES_H
#define SARTOR_COMPILER_CODEGEN_FULL_PASSES_H

#include <string>

#include <llvm/Passes/PassBuilder.h>

namespace sartor::compiler {

/// Returns the pipeline of the full tier in LLVM's textual form: the passes of O3 in their order,
/// for modules that compiler::simplify() has processed and whose points are constants. The parsing
/// `builder` needs register_full_passes() and register_fold_library_calls().
std::string full_passes();

/// Registers the pass names that LLVM's textual form lacks.
void register_full_passes(llvm::PassBuilder &builder);

} // namespace sartor::compiler

#endif
