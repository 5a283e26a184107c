// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_LISTING_H
#define SARTOR_COMPILER_CODEGEN_LISTING_H

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include "base/result.h"
#include "core/compiler/inspect.h"

namespace sartor::compiler {

/// Lists the IR and assembly of an optimized module with the source line of each line. Changes the
/// module's debug locations. Fails as generate_assembly() does.
Result<core::Listing> list_code(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace sartor::compiler

#endif
