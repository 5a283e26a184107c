// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DECLARED_AUTOMATIC_CODE_H
#define SARTOR_COMPILER_PLUGIN_DECLARED_AUTOMATIC_CODE_H

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// The LLVM half of automatic handlers, after marks at their parameters have been inserted: adds
/// points for the global variables that they read (constant_globals.h), makes functions without
/// points or variants ordinary ones again, and adds a constructor that calls sartor_auto_start().
void complete_automatic_handlers(llvm::Module &module);

} // namespace sartor::compiler

#endif
