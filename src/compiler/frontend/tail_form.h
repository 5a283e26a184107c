// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_TAIL_FORM_H
#define SARTOR_COMPILER_FRONTEND_TAIL_FORM_H

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace sartor::compiler {

/// An interpreter in tail-call form is a web of functions of one type: each is one operation, and
/// ends in a call of the next one.

/// Whether a call is the last that its function does, and passes on to one of the same type: all
/// that is left is to return what it returns, and nothing of the caller's frame is of use any more.
bool passes_on(const llvm::CallBase &call);
/// Whether a function may end so.
bool passes_on(const llvm::Function &function);

/// Whether a function is an operation that passes on to a next one, which must be a tail call or is
/// called by a pointer; or only stands for such a one.
bool is_in_tail_form(const llvm::Function &function);
/// The same of one whose source says that it is to be a tail call.
bool must_pass_on(const llvm::Function &function);

/// Whether a call of one is a call of the other for whoever calls them.
bool are_called_alike(const llvm::Function &one, const llvm::Function &other);

} // namespace sartor::compiler

#endif
