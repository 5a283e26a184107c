// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_KERNEL_KERNEL_MAPS_H
#define SARTOR_COMPILER_SPECIALIZE_KERNEL_KERNEL_MAPS_H

#include <map>
#include <string>
#include <vector>

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Module.h>

#include <sartor/remark.hpp>

#include "compiler/specialize/guard.h"
#include "core/request/kernel_memory.h"

namespace sartor::compiler {

/// Returns a function, and all functions that it calls or passes on, transitively.
llvm::SetVector<llvm::Function *> named_from(llvm::Function &root);

/// Gives constants that the program sets before it loads the object their values.
void fold_settings(llvm::Module &module, const core::KernelMemory &memory);

/// Objects that are valid only where the handler's versions of maps are, not in cold code.
struct KernelGuards {
  std::vector<PinnedPoint> versions; ///< See pin_maps().
  /// Wrappers of call points whose code depends on a map, mapped to copies that contain this code.
  std::map<llvm::Function *, llvm::Function *> copies;

  /// Returns the wrapper itself, or such a copy.
  llvm::Function &copy_if_tied(llvm::Function &wrapper, const core::KernelMemory &memory);
};

/// Returns the guards under which a handler may depend on the content of maps: their versions,
/// checked at its entry. Remarks list the invariant maps that the handler makes no use of, and why.
std::vector<PinnedPoint> pin_maps(llvm::Function &entry, const core::KernelMemory &memory,
                                  std::vector<Remark> &remarks);

/// Replaces lookups where all versions are valid, also in functions called there, by code that
/// finds values among constants. Must be called after guards are installed. Remarks list the
/// lookups that were not replaced, and why.
void fold_maps(llvm::Function &entry, const core::KernelMemory &memory, const KernelGuards &guards,
               std::vector<Remark> &remarks);

} // namespace sartor::compiler

#endif
