// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DIRECT_H
#define SARTOR_COMPILER_PLUGIN_DIRECT_H

#include <vector>

#include <llvm/IR/Module.h>

#include "bind.h"

namespace sartor::compiler {

/// Gives the symbols of directly called handlers (SARTOR_HANDLER_DIRECT) to stubs that jump to the
/// code in the handler's sartor_direct, gives their native code names of its own, and adds both to
/// the bindings. `bitcode` is already bound. Reports handlers that cannot have a stub. Handlers
/// that are native only or for other machines become ordinary handlers.
void route_direct_calls(llvm::Module &bitcode, llvm::Module &native, const Originals &originals,
                        std::vector<Binding> &bindings);

/// Generates the stubs, when it is known which native code cannot throw.
void write_direct_stubs(llvm::Module &native);

} // namespace sartor::compiler

#endif
