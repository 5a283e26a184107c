// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_LEAVE_OUT_ADDRESSES_H
#define SARTOR_COMPILER_SPECIALIZE_LEAVE_OUT_ADDRESSES_H

#include <cstdint>
#include <vector>

#include <llvm/IR/Module.h>

#include "core/request/invariant_memory.h"

namespace sartor::compiler {

/// Replaces pointers to plain addresses by loads from a table of the module, and returns the
/// addresses: the first is that of place_symbol(0), and so on. Code for objects with equal contents
/// thereby becomes the same module, wherever they are. Pointers into one of `objects` share a
/// place. Addresses within initializers and inline assembly are unchanged.
std::vector<std::uint64_t> leave_out_addresses(llvm::Module &module,
                                               const std::vector<core::Extent> &objects);

} // namespace sartor::compiler

#endif
