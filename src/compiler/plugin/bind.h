// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_BIND_H
#define SARTOR_COMPILER_PLUGIN_BIND_H

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

#include "names.h"

namespace sartor::compiler {

/// A name in the bitcode and the native object that it refers to.
struct Binding {
  std::string name;
  llvm::Constant *native;
  /// The native module's own definition, if the linker may prefer another of that name; otherwise
  /// null.
  llvm::Constant *own;
};

/// Prepares the copy of a module, whose marks are raised, for binding: parts that only native code
/// needs are removed, unreferenced definitions become removable, aliases are resolved, thread-local
/// variables are accessed through functions. `suffix` is local_suffix() of the copy.
void detach(llvm::Module &bitcode, llvm::Module &native, const Originals &originals,
            const std::string &suffix);

/// Binds every global of the optimised `bitcode` whose home (Home in bind.cpp) is the native half to
/// its definition there, so that all state exists once and each object has one address. Local names
/// are made unique by `suffix`.
std::vector<Binding> bind(llvm::Module &bitcode, llvm::Module &native, const Originals &originals,
                          const std::string &suffix);

} // namespace sartor::compiler

#endif
