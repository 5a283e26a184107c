// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DIRECT_H
#define SARTOR_COMPILER_PLUGIN_DIRECT_H

#include <vector>

#include <llvm/IR/Module.h>

#include "bind.h"
#include "names.h"

namespace sartor::compiler {

/// Gives the symbols of handlers that are called directly (SARTOR_HANDLER_DIRECT) to stubs, which
/// go where the handler's sartor_direct says, and their native code names of its own; adds both to
/// the bindings. `bitcode` is bound already. Reports handlers for which there cannot be one. Those
/// that are native only, and those for other machines, become ordinary handlers.
void lead_direct_calls(llvm::Module &bitcode, llvm::Module &native, const Originals &originals,
                       std::vector<Binding> &bindings);

/// Writes the stubs, when it is known which native code lets no exception pass.
void write_direct_stubs(llvm::Module &native);

} // namespace sartor::compiler

#endif
