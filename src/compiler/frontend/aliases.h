// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_ALIASES_H
#define SARTOR_COMPILER_FRONTEND_ALIASES_H

namespace llvm {
class Module;
}

namespace sartor::compiler {

/// Removes all aliases and indirect functions from a module. Uses of an alias are replaced by its
/// target; if the linker may bind the alias to another definition, it becomes a declaration. So
/// does an indirect function.
void resolve_aliases(llvm::Module &module);

} // namespace sartor::compiler

#endif
