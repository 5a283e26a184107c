// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_LEFT_OUT_H
#define SARTOR_COMPILER_FRONTEND_LEFT_OUT_H

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Takes out of a module what options of the compiler have asked for and only native code has:
/// hooks at the entries and ends of functions, counters, the checks of sanitizers that a late pass
/// adds. Notes the options at each handler: those that the module shows, and `others`.
void leave_out_native_hooks(llvm::Module &module, const std::vector<std::string> &others);

/// The options that are noted at a handler, with a comma between two; or empty. Takes the note
/// away.
std::string take_left_out(llvm::Function &handler);

} // namespace sartor::compiler

#endif
