// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_HOLES_H
#define SARTOR_COMPILER_SPECIALIZE_HOLES_H

#include <string>

#include <llvm/IR/Constant.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Returns a placeholder for the value of a point that is not known yet, as a constant of its type:
/// an integer of up to 64 bits, or a floating-point number.
llvm::Constant *hole_of(const std::string &label, llvm::Type &type, llvm::Module &module);

/// Replaces each placeholder by an instruction at the beginning of its function that moves the
/// symbol's 64-bit address into a register: otherwise the code generator may assume that the
/// address fits into 32 bits.
void open_holes(llvm::Module &module);

} // namespace sartor::compiler

#endif
