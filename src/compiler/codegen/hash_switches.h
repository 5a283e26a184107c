// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_HASH_SWITCHES_H
#define SARTOR_COMPILER_CODEGEN_HASH_SWITCHES_H

#include <llvm/Passes/PassBuilder.h>

namespace sartor::compiler {

/// A pass that looks values up which are many and far apart, as a search through a promised list
/// becomes a switch over them: by a perfect hash, so that what is not among them meets one
/// comparison. Code generation would make a tree of it, whose every branch depends on the value.
struct HashSwitches : llvm::PassInfoMixin<HashSwitches> {
  static constexpr const char *kName = "sartor-hash-switches";

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): LLVM's interface
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace sartor::compiler

#endif
