// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_SIMPLIFIER_H
#define SARTOR_COMPILER_SPECIALIZE_SIMPLIFIER_H

#include <llvm/Passes/PassBuilder.h>

#include "compiler/frontend/analyses.h"

namespace sartor::compiler {

/// What makes new constants and pointers visible between two rounds of folding, and costs little.
class Simplifier {
public:
  Simplifier();
  void run(llvm::Function &function);
  /// Inlines into all functions of a module what LLVM finds worth inlining.
  void inline_callees(llvm::Module &module);
  /// The part of it that leaves blocks as they are: what was stored is put where it is loaded.
  void forward(llvm::Function &function);

private:
  llvm::PassBuilder builder_;
  Analyses analyses_{builder_};
  llvm::FunctionPassManager forwarding_;
  llvm::FunctionPassManager passes_;
};

} // namespace sartor::compiler

#endif
