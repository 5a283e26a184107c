// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_GOTO_LABELS_H
#define SARTOR_COMPILER_FRONTEND_GOTO_LABELS_H

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

namespace sartor::compiler {

/// True if a constant contains the address of a label (computed goto) that `wanted` accepts,
/// directly or through static variables that it refers to.
[[nodiscard]] bool holds_label(const llvm::Constant &constant,
                               llvm::function_ref<bool(const llvm::BlockAddress &)> wanted);
/// True if a constant contains the address of any label, directly or through static variables.
[[nodiscard]] bool holds_labels(const llvm::Constant &constant);

/// True if addresses of a function's labels, differences of them or tables of them are accessible
/// outside of one call. Another copy of the function may then receive labels of this one.
[[nodiscard]] bool lets_labels_out(const llvm::Function &function);

/// Returns the variables that contain addresses of a function's labels, or addresses of such
/// variables.
[[nodiscard]] llvm::SetVector<llvm::GlobalVariable *> label_tables(llvm::Function &function);

} // namespace sartor::compiler

#endif
