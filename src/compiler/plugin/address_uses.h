// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_ADDRESS_USES_H
#define SARTOR_COMPILER_PLUGIN_ADDRESS_USES_H

#include <string>

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace sartor::compiler {

/// Whether a local variable is only loaded and stored as a whole, and its address does not escape.
bool is_plain_variable(const llvm::AllocaInst &variable);
/// Whether an address's number only serves to compare it, or to report it.
bool is_compared(const llvm::Value &number);
/// `name()`, without parameters.
std::string called_as(const llvm::Function &function);

} // namespace sartor::compiler

#endif
