// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DECLARED_FOREIGN_H
#define SARTOR_COMPILER_PLUGIN_DECLARED_FOREIGN_H

#include <llvm/IR/PassManager.h>

namespace sartor::compiler {

/// Brings a module of rustc into clang's form: functions with rows become handlers with signatures,
/// and marks get temporaries and choices of their values' type. Other modules are unchanged.
struct AdoptPass : llvm::PassInfoMixin<AdoptPass> {
  static bool isRequired() { return true; } // NOLINT(readability-identifier-naming): LLVM's name

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

} // namespace sartor::compiler

#endif
