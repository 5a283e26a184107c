// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_FOREIGN_H
#define SARTOR_COMPILER_PLUGIN_FOREIGN_H

#include <llvm/IR/PassManager.h>

namespace sartor::compiler {

/// Front ends other than clang's have no annotations and no half of this plugin. What theirs tells
/// lies in this section, one row for each function (see foreign_rows.cpp). Programs read it, too:
/// it leads from a handler's address to its name.
constexpr const char *kFunctionSection = "sartor_functions";

/// Brings a module of rustc's into the form that clang leaves: functions that rows tell of become
/// handlers with signatures, and marks get temporaries and choices of their values' own type. Of
/// other modules, it changes nothing.
struct AdoptPass : llvm::PassInfoMixin<AdoptPass> {
  static bool isRequired() { return true; } // NOLINT(readability-identifier-naming): LLVM's name

  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
};

bool has_rows(const llvm::Module &module);
/// Has functions know what rows tell; says what is wrong with rows by the context's errors.
void adopt_rows(llvm::Module &module);
/// Whether there are marks whose temporaries are so many bytes, and of no other type.
bool has_marks_of_bytes(llvm::Module &module);
void adopt_marks(llvm::Module &module);

} // namespace sartor::compiler

#endif
