// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_UNWINDER_H
#define SARTOR_COMPILER_PLUGIN_UNWINDER_H

#include <vector>

#include <llvm/IR/Module.h>

#include "bind.h"

namespace sartor::compiler {

/// Names the functions of the unwinder that the program itself uses, where handlers let exceptions
/// pass: one that is linked statically does not know of code that another has been told of. They
/// may be missing; nothing is linked for their sake.
void bind_unwinder(std::vector<Binding> &bindings, llvm::Module &native);

} // namespace sartor::compiler

#endif
