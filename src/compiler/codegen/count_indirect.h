// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_COUNT_INDIRECT_H
#define SARTOR_COMPILER_CODEGEN_COUNT_INDIRECT_H

#include <llvm/IR/Module.h>

#include <sartor/folded.hpp>

namespace sartor::compiler {

/// Counts jumps and calls by pointers in optimised code, where it is not marked unlikely.
void count_indirect(const llvm::Module &module, Folded &into);

} // namespace sartor::compiler

#endif
