// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_GOTO_LABELS_H
#define SARTOR_COMPILER_FRONTEND_GOTO_LABELS_H

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

namespace sartor::compiler {

/// Whether a constant holds the address of a label (computed goto) that `wanted` accepts: itself,
/// or by way of static variables that it names.
[[nodiscard]] bool holds_label(const llvm::Constant &constant,
                               llvm::function_ref<bool(const llvm::BlockAddress &)> wanted);
/// Whether it holds the address of any label so.
[[nodiscard]] bool holds_labels(const llvm::Constant &constant);

/// Whether addresses of a function's labels, differences of them or tables of them can be found
/// outside of one call of it. Then another copy of the function may be given labels of this one.
[[nodiscard]] bool lets_labels_out(const llvm::Function &function);

/// The variables that hold addresses of a function's labels, or of such variables.
[[nodiscard]] llvm::SetVector<llvm::GlobalVariable *> label_tables(llvm::Function &function);

} // namespace sartor::compiler

#endif
