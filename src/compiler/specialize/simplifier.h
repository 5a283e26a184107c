// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_SIMPLIFIER_H
#define SARTOR_COMPILER_SPECIALIZE_SIMPLIFIER_H

#include <llvm/Passes/PassBuilder.h>

#include "compiler/frontend/analyses.h"

namespace sartor::compiler {

/// Cheap passes that make new constants and pointers visible between two rounds of folding.
class Simplifier {
public:
  Simplifier();
  void run(llvm::Function &function);
  /// Inlines calls in all functions of a module where LLVM considers it profitable.
  void inline_callees(llvm::Module &module);
  /// Forwards stored values to loads, without changing blocks.
  void forward(llvm::Function &function);

private:
  llvm::PassBuilder builder_;
  Analyses analyses_{builder_};
  llvm::FunctionPassManager forwarding_;
  llvm::FunctionPassManager passes_;
};

} // namespace sartor::compiler

#endif
