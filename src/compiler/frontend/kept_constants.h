// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_KEPT_CONSTANTS_H
#define SARTOR_COMPILER_FRONTEND_KEPT_CONSTANTS_H

#include <vector>

#include <llvm/IR/Module.h>

#include "core/space/module.h"

namespace sartor::compiler {

/// The prefix of the names of kept constants.
constexpr const char *kKeptPrefix = "sartor.kept.";

/// Moves the local constants of a module file that are plain data, such as literals, to memory that
/// exists as long as the process: the native code has no such constants, and a variant may hand out
/// their addresses. Returns the bytes to be stored; in the module, the contents remain visible to
/// LLVM.
std::vector<core::HandlerModule::Constant> keep_constants(llvm::Module &module);

} // namespace sartor::compiler

#endif
