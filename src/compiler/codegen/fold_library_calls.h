// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_FOLD_LIBRARY_CALLS_H
#define SARTOR_COMPILER_CODEGEN_FOLD_LIBRARY_CALLS_H

#include <llvm/Passes/PassBuilder.h>

namespace sartor::compiler {

/// A pass that computes calls of the C library's mathematical functions whose arguments have become
/// constants (compiler/frontend/library_math.h).
struct FoldLibraryCalls : llvm::PassInfoMixin<FoldLibraryCalls> {
  static constexpr const char *kName = "sartor-fold-library-calls";

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): LLVM's interface
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

/// Adds the pass after the simplification steps of LLVM's pipelines, and registers its name.
void register_fold_library_calls(llvm::PassBuilder &builder);

} // namespace sartor::compiler

#endif
