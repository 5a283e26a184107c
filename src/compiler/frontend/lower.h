// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_LOWER_H
#define SARTOR_COMPILER_FRONTEND_LOWER_H

#include <string>

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Removes the instrumentation of -fprofile-instr-generate and the like: the counters belong to the
/// native code. Returns true if there was any.
bool drop_native_counters(llvm::Module &module);

/// Returns the construct in a module that only other pipelines, such as a whole program's, can
/// lower; empty if there is none. LLVM would abort on it and take down the compiling thread.
std::string lowering_problem(const llvm::Module &module);

} // namespace sartor::compiler

#endif
