// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_KERNEL_CODE_H
#define SARTOR_COMPILER_CODEGEN_KERNEL_CODE_H

#include <llvm/IR/Module.h>

#include <sartor/space.hpp>

namespace sartor::compiler {

/// Brings a specialized handler for the kernel into the form of clang's own output: the counters of
/// a variant become a variable of its object, instructions are restricted to those of BPF, calls
/// get debug locations, and the debug information has the variant's name.
void finish_for_kernel(llvm::Module &module, const Space &space);

/// Replaces undefined values by zero, before code is generated. The verifier rejects code that
/// reads an uninitialized register, even where its value does not matter.
void define_all_values(llvm::Module &module);

} // namespace sartor::compiler

#endif
