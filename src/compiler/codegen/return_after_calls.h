// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_RETURN_AFTER_CALLS_H
#define SARTOR_COMPILER_CODEGEN_RETURN_AFTER_CALLS_H

#include <llvm/Passes/PassBuilder.h>

namespace sartor::compiler {

/// A pass that has functions return right after calls whose result is all that they return, where
/// they go to a common return. Code generation of the quick tier makes a tail call of nothing else;
/// that of the full tier does the same by itself (CodeGenPrepare).
struct ReturnAfterCalls : llvm::PassInfoMixin<ReturnAfterCalls> {
  static constexpr const char *kName = "sartor-return-after-calls";

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): LLVM's interface
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace sartor::compiler

#endif
