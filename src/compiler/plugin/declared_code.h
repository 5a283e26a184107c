// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DECLARED_CODE_H
#define SARTOR_COMPILER_PLUGIN_DECLARED_CODE_H

#include <llvm/IR/PassManager.h>

namespace sartor::compiler {

/// LLVM's half of declarations aside from the source: puts points where parameters are annotated,
/// as points.h would, and writes down variables for the run time (sartor/declared.h), and what has
/// been found for `sartor declare --check`. Before all else.
struct DeclarePass : llvm::PassInfoMixin<DeclarePass> {
  static bool isRequired() { return true; } // NOLINT(readability-identifier-naming): LLVM's name
  static llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

} // namespace sartor::compiler

#endif
