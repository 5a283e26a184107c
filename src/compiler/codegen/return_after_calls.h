// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_RETURN_AFTER_CALLS_H
#define SARTOR_COMPILER_CODEGEN_RETURN_AFTER_CALLS_H

#include <llvm/Passes/PassBuilder.h>

namespace sartor::compiler {

/// A pass that inserts a return directly after a call whose result is the function's result, in
/// place of a jump to a common return. Code generation of the quick tier makes tail calls only in
/// this form; that of the full tier performs the same transformation (CodeGenPrepare).
struct ReturnAfterCalls : llvm::PassInfoMixin<ReturnAfterCalls> {
  static constexpr const char *kName = "sartor-return-after-calls";

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): LLVM's interface
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace sartor::compiler

#endif
