// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_HASH_SWITCHES_H
#define SARTOR_COMPILER_CODEGEN_HASH_SWITCHES_H

#include <llvm/Passes/PassBuilder.h>

namespace sartor::compiler {

/// A pass that replaces large switches over values that are far apart by a perfect hash lookup, so
/// that a value without a case costs one comparison. Such a switch results from a search through an
/// invariant list. Code generation would make a tree of it, whose every branch depends on the
/// value.
struct HashSwitches : llvm::PassInfoMixin<HashSwitches> {
  static constexpr const char *kName = "sartor-hash-switches";

  // NOLINTNEXTLINE(readability-convert-member-functions-to-static): LLVM's interface
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
};

} // namespace sartor::compiler

#endif
