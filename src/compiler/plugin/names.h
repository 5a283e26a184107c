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

/// Which global of the native module a global of its copy was made from. Globals that leave the
/// copy are forgotten; those that are made there have none.
class Originals {
public:
  Originals(llvm::Module &native, const llvm::ValueToValueMapTy &copies);
  [[nodiscard]] llvm::DenseMap<const llvm::GlobalValue *, llvm::GlobalValue *> living() const;

private:
  std::vector<std::pair<llvm::WeakVH, llvm::GlobalValue *>> pairs_;
};

/// What tells the local names of a module from those of others: made of all that is in it, so that
/// it is the same whenever the same is compiled, and another where one file is compiled twice with
/// other definitions.
std::string local_suffix(const llvm::Module &module);

} // namespace sartor::compiler

#endif
