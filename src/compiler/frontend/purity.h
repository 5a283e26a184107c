// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_PURITY_H
#define SARTOR_COMPILER_FRONTEND_PURITY_H

#include <string>

#include <llvm/IR/Function.h>

namespace sartor::compiler {

/// What a function does besides computing a result from its arguments, as far as the IR proves it.
struct Purity {
  /// What it does that others may notice ("stores to memory", "calls send()"); empty if nothing.
  std::string side_effect;
  /// Whether its result may depend on memory that can change.
  bool reads_memory = false;
};

/// Looks at the function and all that it calls; where that shows an effect, again at a copy with
/// all calls inlined. Declarations are taken at their word: what is declared `pure` only reads,
/// what is declared `const` does not even that.
Purity purity_of(llvm::Function &function);

} // namespace sartor::compiler

#endif
