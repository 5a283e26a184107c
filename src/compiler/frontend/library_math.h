// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_LIBRARY_MATH_H
#define SARTOR_COMPILER_FRONTEND_LIBRARY_MATH_H

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Has functions of the C library whose last bit is the library's own affair (sin, pow and the
/// like, of float and double) be called, as the native code does where it does not know the
/// arguments: LLVM would compute sinf() by way of double, and make x * x of pow(x, 2).
/// Fold_library_calls() computes them instead. Calls that the native code may have rewritten
/// itself, because a caller passes a constant, and calls that may be approximated (-ffast-math) are
/// left to LLVM.
void call_library_math(llvm::Module &module);

/// What such a call gives if its arguments are constants, by calling the library: what the native
/// code would get. Null if it is none, is given something else, or reports an error.
llvm::Constant *compute_library_call(const llvm::CallBase &call);

} // namespace sartor::compiler

#endif
