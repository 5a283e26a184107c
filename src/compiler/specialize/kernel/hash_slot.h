// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_KERNEL_HASH_SLOT_H
#define SARTOR_COMPILER_SPECIALIZE_KERNEL_HASH_SLOT_H

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>

#include "compiler/specialize/kernel/perfect_hash.h"

namespace sartor::compiler {

/// Generates code for PerfectHash::slot() of a 64-bit key. `displacements` is a table with the
/// hash's displacements.
llvm::Value *hash_slot(llvm::IRBuilder<> &builder, const PerfectHash &hash,
                       llvm::GlobalVariable &displacements, llvm::Value &key);

} // namespace sartor::compiler

#endif
