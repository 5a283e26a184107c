// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_THUNK_H
#define SARTOR_COMPILER_CODEGEN_THUNK_H

#include <cstddef>
#include <memory>
#include <string>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "base/result.h"
#include "compiler/frontend/parameters.h"

namespace sartor::compiler {

/// A module with a function `name`, still without a body, that is called like `handler` but does
/// not take the arguments in `fixed`. It can clean up after an exception, where the
/// handler may throw. Fails with point_not_specializable for a handler with a variable number of
/// arguments.
Result<std::unique_ptr<llvm::Module>> thunk_module(llvm::Function &handler, const std::string &name,
                                                   const FixedArguments &fixed);

/// The function of such a module.
llvm::Function &thunk_of(llvm::Module &module, const std::string &name);

/// A call from the thunk of what `code` points to, with the handler's type and conventions. Where
/// the handler may throw, control goes on in `unwound`, else that may be null; the builder is left
/// where it goes on after a return.
llvm::CallBase *call_like(llvm::IRBuilder<> &builder, llvm::Function &handler, llvm::Value *code,
                          llvm::ArrayRef<llvm::Value *> arguments, llvm::BasicBlock *unwound);

/// Ends the block with a return of what the call gave.
void return_result(llvm::IRBuilder<> &builder, llvm::CallBase *call);

/// An address in this process.
llvm::Constant *address_of(llvm::IRBuilder<> &builder, const void *object);
/// Memory at a distance from the thread pointer.
llvm::Constant *thread_address(llvm::Constant *distance);
llvm::Constant *thread_address(llvm::IRBuilder<> &builder, std::ptrdiff_t offset);

} // namespace sartor::compiler

#endif
