// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_TABLES_H
#define SARTOR_COMPILER_PLUGIN_TABLES_H

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Keeps constant tables of functions that the native half defines, such as virtual tables, if
/// handlers call by pointer: an object may point to a table that the handlers' code does not name.
void keep_tables(llvm::Module &bitcode, const llvm::Module &native);
/// Keeps functions that a handler of another file may call.
void keep_functions(llvm::Module &bitcode, const llvm::Module &native);
/// Releases them after unused code has been removed; afterwards only references keep them.
void release_tables(llvm::Module &bitcode);

} // namespace sartor::compiler

#endif
