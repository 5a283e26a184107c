// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_CHECKING_STUB_H
#define SARTOR_COMPILER_CODEGEN_CHECKING_STUB_H

#include <memory>
#include <string>

#include <llvm/IR/Module.h>

#include "base/result.h"
#include "compiler/frontend/analysis/comparable.h"
#include "core/compiler/checked_call.h"
#include "core/compiler/frame_call.h"

namespace sartor::compiler {

/// Lays out the arguments of the handler's IR function, in their order, and its result as the
/// fields of a structure.
core::FrameShape frame_shape(llvm::Function &handler);

/// Makes a module with a function `name` as CheckedCall::call, for frames of that shape. Fails with
/// point_not_specializable for a variadic handler.
Result<std::unique_ptr<llvm::Module>> frame_call(llvm::Function &handler, const std::string &name);

/// Builds IR of a function with the handler's type that describes each call as a core::CheckedCall
/// and passes it to the checker. Exceptions pass. Fails with point_not_specializable for a variadic
/// handler.
Result<std::unique_ptr<llvm::Module>> checking_stub(llvm::Function &handler,
                                                    const Comparable &comparable);

} // namespace sartor::compiler

#endif
