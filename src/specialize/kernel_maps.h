// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SPECIALIZE_KERNEL_MAPS_H
#define SARTOR_SPECIALIZE_KERNEL_MAPS_H

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "request/kernel_memory.h"
#include "specialize/guard.h"

namespace sartor::specialize {

/// Gives constants that are set before the object is loaded the values that they have there.
void fold_settings(llvm::Module &module, const KernelMemory &memory);

/// What has to hold for a handler to lean on the content of maps: their versions, looked at when it
/// is entered. Remarks say of which promised maps it makes no use, and why.
std::vector<PinnedPoint> pin_maps(llvm::Function &entry, const KernelMemory &memory,
                                  std::vector<std::string> &remarks);

/// Replaces lookups where all `pinned` hold, also in functions that are called there, by code that
/// finds values among constants. Once guards are installed. Remarks say what was not replaced, and
/// why.
void fold_maps(llvm::Function &entry, const KernelMemory &memory,
               const std::vector<PinnedPoint> &pinned, std::vector<std::string> &remarks);

} // namespace sartor::specialize

#endif
