// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_KERNEL_FIND_H
#define SARTOR_COMPILER_SPECIALIZE_KERNEL_FIND_H

#include <map>
#include <string>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "core/request/kernel_memory.h"

namespace sartor::compiler {

/// Code that finds values among constants, in place of lookups in maps of known content: few keys
/// are compared one after the other, so that their values are constants to what follows; many are
/// found by a perfect hash, prefixes by a search among the intervals into which they part the
/// keys. Such tables are an object's constants, which the kernel keeps as a map that nobody
/// changes.
class KernelFind {
public:
  explicit KernelFind(llvm::Module &module) : module_(module) {}

  /// Empty, or why the lookup stays as it is: what it gives is written to, or the map is too
  /// large.
  std::string replace(llvm::CallBase &lookup, llvm::GlobalVariable &map,
                      const core::KernelMap &content);

private:
  llvm::Function *function_for(llvm::CallBase &lookup, llvm::GlobalVariable &map,
                               const core::KernelMap &content, llvm::Align alignment);

  llvm::Module &module_;
  /// By the name of the map and the alignment of keys.
  std::map<std::pair<std::string, std::uint64_t>, llvm::Function *> functions_;
};

} // namespace sartor::compiler

#endif
