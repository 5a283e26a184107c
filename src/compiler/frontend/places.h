// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_PLACES_H
#define SARTOR_COMPILER_FRONTEND_PLACES_H

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Makes source locations valid again after code was moved from function to function or inserted:
/// in a function with debug information, each location is in the function or inlined into it, and
/// each call has one. LLVM requires both. A module without debug information is unchanged.
void repair_places(llvm::Module &module);

} // namespace sartor::compiler

#endif
