// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_ANALYSIS_PURITY_H
#define SARTOR_COMPILER_FRONTEND_ANALYSIS_PURITY_H

#include <string>

#include <llvm/IR/Function.h>

namespace sartor::compiler {

/// The effects of a function in addition to its result, as far as the IR proves their absence.
struct Purity {
  /// An effect that other code may notice ("stores to memory", "calls send()"); empty if none.
  std::string side_effect;
  /// True if the result may depend on memory that can change.
  bool reads_memory = false;
};

/// Inspects the function and its callees; if that finds an effect, inspects a copy with all calls
/// inlined. Declarations are trusted: `pure` functions only read memory, `const` functions do not
/// read it.
Purity purity_of(llvm::Function &function);

} // namespace sartor::compiler

#endif
