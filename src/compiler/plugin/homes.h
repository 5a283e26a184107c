// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_HOMES_H
#define SARTOR_COMPILER_PLUGIN_HOMES_H

#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

namespace sartor::compiler {

/// Where what a name of the bitcode stands for lives, and how long.
enum class Home {
  /// In the native half, as long as the program: the bitcode has a declaration.
  native,
  /// The same, and the bitcode knows what is in it, for folding and inlining.
  native_with_contents,
  /// In each variant, as long as that: only what nothing outside of a variant can come to hold.
  variant
};

/// Of the optimised copy of a module. `original`: the same variable of the native half, or null if
/// the optimiser has made it.
Home home_of(const llvm::GlobalVariable &variable, const llvm::GlobalValue *original);
/// `is_specialized_along`: points can be reached from it.
Home home_of(const llvm::Function &function, bool is_specialized_along);

} // namespace sartor::compiler

#endif
