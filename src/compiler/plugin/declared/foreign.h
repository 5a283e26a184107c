// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DECLARED_FOREIGN_H
#define SARTOR_COMPILER_PLUGIN_DECLARED_FOREIGN_H

#include <llvm/IR/PassManager.h>

namespace sartor::compiler {

/// Front ends other than clang have no annotations and no half of this plugin. They describe
/// functions in this section, one row for each (see foreign_rows.cpp). Programs also read it, to
/// find a handler's name by its address.
constexpr const char *kFunctionSection = "sartor_functions";

/// Brings a module of rustc into clang's form: functions with rows become handlers with signatures,
/// and marks get temporaries and choices of their values' type. Other modules are unchanged.
struct AdoptPass : llvm::PassInfoMixin<AdoptPass> {
  static bool isRequired() { return true; } // NOLINT(readability-identifier-naming): LLVM's name

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

bool has_rows(const llvm::Module &module);
/// Attaches the information in rows to functions; reports invalid rows as errors of the context.
void adopt_rows(llvm::Module &module);

} // namespace sartor::compiler

#endif
