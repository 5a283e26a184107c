// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_BIND_H
#define SARTOR_COMPILER_PLUGIN_BIND_H

#include <string>
#include <utility>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace sartor::compiler {

/// Maps each global of a copied module to the native global that it was made from. Globals removed
/// from the copy are forgotten; globals created in it have no original.
class Originals {
public:
  Originals(llvm::Module &native, const llvm::ValueToValueMapTy &copies);
  [[nodiscard]] llvm::DenseMap<const llvm::GlobalValue *, llvm::GlobalValue *> living() const;

private:
  std::vector<std::pair<llvm::WeakVH, llvm::GlobalValue *>> pairs_;
};

/// Returns a suffix that distinguishes a module's local names from those of others: a hash of its
/// content, equal whenever the same code is compiled, and different if one file is compiled twice
/// with other definitions.
std::string local_suffix(const llvm::Module &module);

/// A name in the bitcode and the native object that it refers to.
struct Binding {
  std::string name;
  llvm::Constant *native;
  /// The native module's own definition, if the linker may prefer another of that name; otherwise
  /// null.
  llvm::Constant *own;
};

/// Prepares the copy of a module, whose marks are raised, for binding: parts that only native code
/// needs are removed, unreferenced definitions become removable, aliases are resolved, thread-local
/// variables are accessed through functions. `suffix` is local_suffix() of the copy.
void detach(llvm::Module &bitcode, llvm::Module &native, const Originals &originals,
            const std::string &suffix);

/// Binds every global of the optimised `bitcode` whose home (Home in bind.cpp) is the native half
/// to its definition there, so that all state exists once and each object has one address. Local
/// names are made unique by `suffix`.
std::vector<Binding> bind(llvm::Module &bitcode, llvm::Module &native, const Originals &originals,
                          const std::string &suffix);

} // namespace sartor::compiler

#endif
