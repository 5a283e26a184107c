// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_GUARD_H
#define SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_GUARD_H

#include <llvm/IR/PassManager.h>

namespace sartor::compiler {

/// Guards every store that may change a watched field, using the marks of the front-end half
/// (watch_table.h), before optimization and before the bitcode is copied from the module.
struct GuardPass : llvm::PassInfoMixin<GuardPass> {
  static bool isRequired() { return true; } // NOLINT(readability-identifier-naming): LLVM's name

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace sartor::compiler

#endif
