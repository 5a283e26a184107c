// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_BIND_H
#define SARTOR_COMPILER_PLUGIN_BIND_H

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "names.h"

namespace sartor::compiler {

/// A name of the bitcode and what it stands for in the native module.
struct Binding {
  std::string name;
  llvm::Constant *native;
  /// The native module's own definition, where the linker may prefer another of that name; or null.
  llvm::Constant *own;
};

/// Readies the copy of a module, its marks raised, for binding: what only native code needs is
/// dropped, definitions that nobody outside refers to may go, aliases are resolved, thread-local
/// variables are reached through functions. `suffix` is local_suffix() of the copy.
void detach(llvm::Module &bitcode, llvm::Module &native, const Originals &originals,
            const std::string &suffix);

/// Ties every global of the optimised `bitcode` whose home is the native half to its definition
/// there, so that there is one copy of all state and one address of everything: see homes.h. Local
/// names are made unique by `suffix`.
std::vector<Binding> bind(llvm::Module &bitcode, llvm::Module &native, const Originals &originals,
                          const std::string &suffix);

} // namespace sartor::compiler

#endif
