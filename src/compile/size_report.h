// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILE_SIZE_REPORT_H
#define SARTOR_COMPILE_SIZE_REPORT_H

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "compiler/inspect.h"
#include "observe/result.h"

namespace sartor::jit {

/// Gives every instruction of a module a place, in debug information that says no more than in
/// which function it stands. What was there is dropped.
void mark_functions(llvm::Module &module);

/// What of the machine code in an object file comes from which function, of a module that was
/// marked: largest first. Fails with compile_failed.
Result<std::vector<FunctionSize>> sizes_by_function(const std::string &object);

} // namespace sartor::jit

#endif
