// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_ADDRESS_USES_H
#define SARTOR_COMPILER_PLUGIN_WRITE_GUARDS_ADDRESS_USES_H

#include <string>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace sartor::compiler {

/// True if a local variable is only loaded and stored as a whole, and its address does not escape.
bool is_plain_variable(const llvm::AllocaInst &variable);
/// True if an address converted to a number is only compared or reported.
bool is_compared(const llvm::Value &number);
/// Returns the function's readable name without parameters, as `name()`.
std::string called_as(const llvm::Function &function);

} // namespace sartor::compiler

#endif
