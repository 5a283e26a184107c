// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PLUGIN_BIND_H
#define SARTOR_PLUGIN_BIND_H

#include <string>
#include <vector>

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace sartor::plugin {

/// A name of the bitcode and what it stands for in the native module.
struct Binding {
  std::string name;
  llvm::Constant *native;
};

/// Readies the copy of a module, its marks raised, for binding: what only native code needs is
/// dropped, definitions that nobody outside refers to may go, thread-local variables are reached
/// through accessor functions that are added to `native`. `copies` maps native values to those of
/// `bitcode`.
void detach(llvm::Module &bitcode, llvm::Module &native, const llvm::ValueToValueMapTy &copies);

/// Ties every global of the optimised `bitcode` that has an identity to its native definition, so
/// that there is one copy of all state and one address of every function: variables become
/// declarations, constants keep their contents for folding only, local names are made unique.
std::vector<Binding> bind(llvm::Module &bitcode, llvm::Module &native,
                          const llvm::ValueToValueMapTy &copies);

} // namespace sartor::plugin

#endif
