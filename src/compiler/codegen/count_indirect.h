// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_COUNT_INDIRECT_H
#define SARTOR_COMPILER_CODEGEN_COUNT_INDIRECT_H

#include <llvm/IR/Module.h>

#include <sartor/fold_report.hpp>

namespace sartor::compiler {

/// Counts indirect jumps and calls in optimised code, except in blocks marked unlikely.
void count_indirect(const llvm::Module &module, FoldReport &into);

} // namespace sartor::compiler

#endif
