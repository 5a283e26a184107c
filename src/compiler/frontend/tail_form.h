// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_TAIL_FORM_H
#define SARTOR_COMPILER_FRONTEND_TAIL_FORM_H

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace sartor::compiler {

/// An interpreter in tail-call form is a set of functions of one type: each is one operation, and
/// ends in a call of the next one.

/// True if a call is the last action of its function and calls a function of the same type: only
/// the return of its result follows, and the caller's frame is no longer needed.
bool passes_on(const llvm::CallBase &call);
/// True if a function may end with such a call.
bool passes_on(const llvm::Function &function);

/// True if a function is an operation that passes on to the next one, by a mandatory tail call or
/// an indirect call, or only forwards to such a function.
bool is_in_tail_form(const llvm::Function &function);
/// True if the same holds, and it is a step of an interpreter: it moves the position in the program
/// on, or the source makes the tail call mandatory. Functions that only dispatch, by a table that
/// their argument points to, are none.
bool is_operation(const llvm::Function &function);
/// True if a function is in tail form and the source makes the tail call mandatory.
bool must_pass_on(const llvm::Function &function);

/// True if callers call both functions in the same way.
bool are_called_alike(const llvm::Function &one, const llvm::Function &other);

} // namespace sartor::compiler

#endif
