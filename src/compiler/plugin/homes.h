// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_HOMES_H
#define SARTOR_COMPILER_PLUGIN_HOMES_H

#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

namespace sartor::compiler {

/// The place and lifetime of the object that a name in the bitcode refers to.
enum class Home {
  /// In the native half, for the program's lifetime: the bitcode has a declaration.
  native,
  /// As native, and the bitcode includes the contents, for folding and inlining.
  native_with_contents,
  /// In each variant, for its lifetime: only objects whose addresses do not leave the variant.
  variant
};

/// For a variable of the optimised copy of a module. `original` is the same variable of the native
/// half, or null if the optimizer has created it.
Home home_of(const llvm::GlobalVariable &variable, const llvm::GlobalValue *original);
/// `is_specialized_along`: points can be reached from the function.
Home home_of(const llvm::Function &function, bool is_specialized_along);

} // namespace sartor::compiler

#endif
