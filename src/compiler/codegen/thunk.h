// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_THUNK_H
#define SARTOR_COMPILER_CODEGEN_THUNK_H

#include <cstddef>
#include <memory>
#include <string>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "base/result.h"
#include "compiler/frontend/marks/parameters.h"

namespace sartor::compiler {

/// Creates a module with a function `name`, without a body, that has the handler's type without the
/// parameters in `fixed`. It has a personality function if the handler may throw. Fails with
/// point_not_specializable for a variadic handler.
Result<std::unique_ptr<llvm::Module>> thunk_module(llvm::Function &handler, const std::string &name,
                                                   const FixedArguments &fixed);

/// Returns the function of such a module.
llvm::Function &thunk_of(llvm::Module &module, const std::string &name);

/// Generates a call from the thunk to the function that `code` points to, with the handler's type
/// and conventions. If the handler may throw, exceptions continue at `unwound`; otherwise that may
/// be null. The builder is left at the place where control continues after a return.
llvm::CallBase *call_like(llvm::IRBuilder<> &builder, llvm::Function &handler, llvm::Value *code,
                          llvm::ArrayRef<llvm::Value *> arguments, llvm::BasicBlock *unwound);

/// Ends the block with a return of the call's result.
void return_result(llvm::IRBuilder<> &builder, llvm::CallBase *call);

/// Returns an address in this process as a constant.
llvm::Constant *address_of(llvm::IRBuilder<> &builder, const void *object);
/// Returns memory at an offset from the thread pointer.
llvm::Constant *thread_address(llvm::Constant *distance);
llvm::Constant *thread_address(llvm::IRBuilder<> &builder, std::ptrdiff_t offset);

} // namespace sartor::compiler

#endif
