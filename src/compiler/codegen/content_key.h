// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_CONTENT_KEY_H
#define SARTOR_COMPILER_CODEGEN_CONTENT_KEY_H

#include <cstdint>
#include <vector>

#include <sartor/options.hpp>

#include "core/compiler/compiler.h"
#include "core/request/invariant_memory.h"

namespace llvm {
class Module;
} // namespace llvm

namespace sartor::compiler {

/// Replaces pointers to plain addresses by loads from a table of the module, and returns the
/// addresses: the first is that of place_symbol(0), and so on. Code for objects with equal contents
/// thereby becomes the same module, wherever they are. Pointers into one of `objects` share a
/// place. Addresses within initializers and inline assembly are unchanged.
std::vector<std::uint64_t> leave_out_addresses(llvm::Module &module,
                                               const std::vector<core::Extent> &objects);

/// Numbers the atom groups of source locations by their order in each function. LLVM numbers them
/// by what it has compiled before, so the bitcode of equal modules would differ.
void number_atoms(llvm::Module &module);

/// Returns the toolchain of this process, for the current thread's target
/// (compiler/frontend/host.h).
core::Toolchain this_toolchain();

/// Returns the key of the object code that `module`, before optimization, is compiled to: a hash of
/// its bitcode and of everything that affects the output. Pass plugins count by path and build id
/// or content.
base::ContentKey content_key(const llvm::Module &module, core::Tier tier, const Pipeline &pipeline,
                             const core::Toolchain &toolchain = this_toolchain());

} // namespace sartor::compiler

#endif
