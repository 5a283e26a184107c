// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_FRAME_CALL_H
#define SARTOR_COMPILER_CODEGEN_FRAME_CALL_H

#include <memory>
#include <string>

#include <llvm/IR/Module.h>

#include "base/result.h"
#include "core/compiler/frame_call.h"

namespace sartor::compiler {

/// Lays out the arguments of the handler's IR function, in their order, and its result as the
/// fields of a structure.
core::FrameShape frame_shape(llvm::Function &handler);

/// Adds a function `name` as CheckedCall::call to a module of the handler's context.
llvm::Function &add_frame_call(llvm::Module &module, llvm::Function &handler,
                               const std::string &name);

/// Makes a module with a function `name` as CheckedCall::call, for frames of that shape. Fails with
/// point_not_specializable for a variadic handler.
Result<std::unique_ptr<llvm::Module>> frame_call(llvm::Function &handler, const std::string &name);

} // namespace sartor::compiler

#endif
