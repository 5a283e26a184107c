// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_ANALYSIS_FOLDABLE_H
#define SARTOR_COMPILER_FRONTEND_ANALYSIS_FOLDABLE_H

#include <optional>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

#include "core/request/foldable.h"

namespace sartor::compiler {

/// Returns the type and the extents of a function, whether or not it is marked. Empty if its result
/// or an argument is not passed as a scalar.
std::optional<core::Foldable> foldable_of(const llvm::Function &function);

/// Returns the same without extents.
std::optional<core::Foldable> call_types(const llvm::Function &function);

/// Attaches SARTOR_FOLD_READS to the function: `row` is its annotation, which includes the values.
void declare_reads(llvm::Function &function, const llvm::Constant &row);

} // namespace sartor::compiler

#endif
