// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_LIBRARY_MATH_H
#define SARTOR_COMPILER_FRONTEND_LIBRARY_MATH_H

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Makes functions of the C library whose last bit depends on the library (sin, pow and the like,
/// for float and double) ordinary calls, as in native code with unknown arguments: LLVM would
/// compute sinf() via double, and turn pow(x, 2) into x * x. FoldLibraryCalls computes them
/// instead. Powers with an integer exponent (llvm.powi, Rust's powi()) become calls or products,
/// where LLVM would compute pow(); vectors are computed by element. LLVM still handles calls that
/// the native code may have rewritten, because a caller passes a constant, and calls that may be
/// approximated (-ffast-math).
void call_library_math(llvm::Module &module);

/// Computes such a call by calling the library, if its arguments are constants: the result that the
/// native code would get. Null if the call is another one, an argument is not constant, or the
/// library reports an error.
llvm::Constant *compute_library_call(const llvm::CallBase &call);

/// Returns such a call of a power, if its exponent is known, as products, which are inserted before
/// it: the operations of the native code. Null for other calls.
llvm::Value *expand_power(llvm::CallBase &call);

} // namespace sartor::compiler

#endif
