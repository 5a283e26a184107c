// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_ALIASES_H
#define SARTOR_COMPILER_PLUGIN_ALIASES_H

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Leaves no alias and no indirect function in a module. An alias is another name of what it stands
/// for, but where the linker may give its name to something else: that is a declaration.
void resolve_aliases(llvm::Module &module);

} // namespace sartor::compiler

#endif
