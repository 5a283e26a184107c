// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILE_COUNT_INDIRECT_H
#define SARTOR_COMPILE_COUNT_INDIRECT_H

#include <llvm/IR/Module.h>

#include <sartor/folded.hpp>

namespace sartor::jit {

/// Counts jumps and calls by pointers in optimised code, where it is not marked unlikely.
void count_indirect(const llvm::Module &module, Folded &into);

} // namespace sartor::jit

#endif
