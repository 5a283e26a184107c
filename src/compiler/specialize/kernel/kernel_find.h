// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_KERNEL_KERNEL_FIND_H
#define SARTOR_COMPILER_SPECIALIZE_KERNEL_KERNEL_FIND_H

#include <map>
#include <string>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "core/request/kernel_memory.h"

namespace sartor::compiler {

/// Replaces lookups in maps of known content by code that finds values among constants: few keys
/// are compared one after the other, so that their values are constants for the code that follows;
/// many are found by a perfect hash, prefixes by a search among the intervals that they divide the
/// keys into. The tables are constants of the object, which the kernel stores in a map that does
/// not change.
class KernelFind {
public:
  explicit KernelFind(llvm::Module &module) : module_(module) {}

  /// Returns an empty text, or the reason why the lookup is unchanged: its result is written to, or
  /// the map is too large.
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
