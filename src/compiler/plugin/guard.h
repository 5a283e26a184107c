// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_GUARD_H
#define SARTOR_COMPILER_PLUGIN_GUARD_H

#include <llvm/IR/PassManager.h>

namespace sartor::compiler {

/// Guards every store that may change a watched field, as the front end's half has marked them
/// (watch_table.h), before anything is optimised and before the bitcode is taken from the module.
struct GuardPass : llvm::PassInfoMixin<GuardPass> {
  static bool isRequired() { return true; } // NOLINT(readability-identifier-naming): LLVM's name

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace sartor::compiler

#endif
