// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_UNWINDER_H
#define SARTOR_COMPILER_PLUGIN_UNWINDER_H

#include <vector>

#include <llvm/IR/Module.h>

#include "bind.h"

namespace sartor::compiler {

/// Binds the functions of the program's own unwinder, if handlers may let exceptions pass: a
/// statically linked unwinder does not know code that was registered with another one. The
/// functions may be missing; no library is linked for them.
void bind_unwinder(std::vector<Binding> &bindings, llvm::Module &native);

} // namespace sartor::compiler

#endif
