// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_FOLDABLE_H
#define SARTOR_COMPILER_FRONTEND_FOLDABLE_H

#include <optional>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

#include "core/request/foldable.h"

namespace sartor::compiler {

/// The type and the extents of a function, whether it is marked or not. Empty if its result and
/// arguments are not all passed as scalars.
std::optional<core::Foldable> foldable_of(const llvm::Function &function);

/// The same without extents.
std::optional<core::Foldable> call_types(const llvm::Function &function);

/// Keeps what SARTOR_FOLD_READS says: `row` has the values behind the annotation.
void declare_reads(llvm::Function &function, const llvm::Constant &row);

} // namespace sartor::compiler

#endif
