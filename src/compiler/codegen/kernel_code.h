// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_KERNEL_CODE_H
#define SARTOR_COMPILER_CODEGEN_KERNEL_CODE_H

#include <llvm/IR/Module.h>

#include <sartor/space.hpp>

namespace sartor::compiler {

/// Brings a specialized handler for the kernel into the form that clang's own code has: what a
/// variant counts in is a variable of its object, instructions are those that BPF has, calls tell
/// where they come from, and the kernel is told the name that the variant has.
void finish_for_kernel(llvm::Module &module, const Space &space);

/// Before code is generated: what may be any value becomes zero. The verifier takes no code that
/// reads a register which nobody has written, whatever comes of it.
void define_all_values(llvm::Module &module);

} // namespace sartor::compiler

#endif
