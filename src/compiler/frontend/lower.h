// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_LOWER_H
#define SARTOR_COMPILER_FRONTEND_LOWER_H

#include <string>

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Takes out what -fprofile-instr-generate and the like have put in: the counters are the native
/// code's. Whether there were any.
bool drop_native_counters(llvm::Module &module);

/// What a module uses that LLVM can only make code of in a pipeline that is not ours, as a whole
/// program's; or nothing. To meet it would cost the process the thread that compiles.
std::string lowering_problem(const llvm::Module &module);

} // namespace sartor::compiler

#endif
