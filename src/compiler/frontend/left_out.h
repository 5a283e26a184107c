// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_LEFT_OUT_H
#define SARTOR_COMPILER_FRONTEND_LEFT_OUT_H

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Removes the instrumentation of -fprofile-instr-generate and the like: the counters belong to the
/// native code. Returns true if there was any.
bool drop_native_counters(llvm::Module &module);

/// Returns the construct in a module that only other pipelines, such as a whole program's, can
/// lower; empty if there is none. LLVM would abort on it and take down the compiling thread.
std::string lowering_problem(const llvm::Module &module);

/// Removes from a module the instrumentation that compiler options requested and only native code
/// has: hooks at entries and exits of functions, counters, sanitizer checks that a late pass adds.
/// Records the options at each handler: those that are visible in the module, and `others`.
void leave_out_native_hooks(llvm::Module &module, const std::vector<std::string> &others);

/// Returns the options recorded at a handler, comma-separated. Empty if there are none.
std::string left_out_of(const llvm::Function &handler);
/// True if the recorded options have no effects but reports of errors. False if there are none.
bool has_only_checks_left_out(const llvm::Function &handler);
/// As left_out_of(), and removes the record.
std::string take_left_out(llvm::Function &handler);

} // namespace sartor::compiler

#endif
