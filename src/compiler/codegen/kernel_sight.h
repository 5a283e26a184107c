// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_KERNEL_SIGHT_H
#define SARTOR_COMPILER_CODEGEN_KERNEL_SIGHT_H

#include <llvm/IR/Module.h>

#include <sartor/space.hpp>

namespace sartor::compiler {

/// Makes the instrumented points of a handler for the kernel record the values they see in the map
/// of bpf/sketch.h, which has one element for each point of the space.
void sight_in_kernel(llvm::Module &module, const Space &space);

} // namespace sartor::compiler

#endif
