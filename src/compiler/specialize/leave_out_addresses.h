// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_LEAVE_OUT_ADDRESSES_H
#define SARTOR_COMPILER_SPECIALIZE_LEAVE_OUT_ADDRESSES_H

#include <cstdint>
#include <vector>

#include <llvm/IR/Module.h>

#include "core/request/promised_memory.h"

namespace sartor::compiler {

/// Replaces pointers to plain addresses by what is loaded from a table of the module's own, and
/// gives the addresses: the first is that of place_symbol(0), and so on. What is made of objects
/// that have the same in them, wherever they lie, becomes the same module. Pointers into one of
/// `objects` share a place. Left as they are: addresses within initializers and inline assembly.
std::vector<std::uint64_t> leave_out_addresses(llvm::Module &module,
                                               const std::vector<core::Extent> &objects);

} // namespace sartor::compiler

#endif
