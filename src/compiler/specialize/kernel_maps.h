// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_KERNEL_MAPS_H
#define SARTOR_COMPILER_SPECIALIZE_KERNEL_MAPS_H

#include <map>
#include <string>
#include <vector>

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Module.h>

#include <sartor/remark.hpp>

#include "compiler/specialize/guard.h"
#include "core/request/kernel_memory.h"

namespace sartor::compiler {

/// A function, and all that it calls, or hands on to be called, with all that these do.
llvm::SetVector<llvm::Function *> named_from(llvm::Function &root);

/// Gives constants that are set before the object is loaded the values that they have there.
void fold_settings(llvm::Module &module, const core::KernelMemory &memory);

/// What holds where a handler's versions of maps hold, and not in what is cold.
struct KernelGuards {
  std::vector<PinnedPoint> versions; ///< See pin_maps().
  /// Wrappers of call points whose code is made from a map: copies that have it.
  std::map<llvm::Function *, llvm::Function *> copies;

  /// The wrapper itself, or such a copy.
  llvm::Function &copy_if_tied(llvm::Function &wrapper, const core::KernelMemory &memory);
};

/// What has to hold for a handler to lean on the content of maps: their versions, looked at when it
/// is entered. Remarks say of which promised maps it makes no use, and why.
std::vector<PinnedPoint> pin_maps(llvm::Function &entry, const core::KernelMemory &memory,
                                  std::vector<Remark> &remarks);

/// Replaces lookups where all versions hold, also in functions that are called there, by code that
/// finds values among constants. Once guards are installed. Remarks say what was not replaced, and
/// why.
void fold_maps(llvm::Function &entry, const core::KernelMemory &memory, const KernelGuards &guards,
               std::vector<Remark> &remarks);

} // namespace sartor::compiler

#endif
