// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DECLARED_DECLARED_CODE_H
#define SARTOR_COMPILER_PLUGIN_DECLARED_DECLARED_CODE_H

#include <llvm/IR/PassManager.h>

namespace sartor::compiler {

/// The LLVM half of declaration files: inserts points at annotated parameters, as points.h would,
/// and emits the declared variables for the runtime (sartor/declared.h) and the results for `sartor
/// declare --check`. Runs before all passes but AdoptPass.
struct DeclarePass : llvm::PassInfoMixin<DeclarePass> {
  static bool isRequired() { return true; } // NOLINT(readability-identifier-naming): LLVM's name
  static llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

} // namespace sartor::compiler

#endif
