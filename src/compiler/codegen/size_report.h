// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_SIZE_REPORT_H
#define SARTOR_COMPILER_CODEGEN_SIZE_REPORT_H

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "base/result.h"
#include "core/compiler/inspect.h"

namespace sartor::compiler {

/// Gives every instruction of a module a debug location that names only its function. Existing
/// debug information is dropped.
void mark_functions(llvm::Module &module);

/// Returns the size of machine code in an object file by source function, for a module that
/// mark_functions() has marked: largest first. Fails with compile_failed.
Result<std::vector<core::FunctionSize>> sizes_by_function(const std::string &object);

} // namespace sartor::compiler

#endif
