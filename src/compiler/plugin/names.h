// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_NAMES_H
#define SARTOR_COMPILER_PLUGIN_NAMES_H

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

} // namespace sartor::compiler

#endif
