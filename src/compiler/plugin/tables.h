// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_TABLES_H
#define SARTOR_COMPILER_PLUGIN_TABLES_H

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Keeps the constant tables of functions that the native half defines, virtual tables above all,
/// where handlers call by pointer: no code of theirs need name a table for an object to point to
/// it.
void keep_tables(llvm::Module &bitcode, const llvm::Module &native);
/// Keeps functions that a handler of another file may call.
void keep_functions(llvm::Module &bitcode, const llvm::Module &native);
/// Leaves them to whoever refers to them, once what is unused has been dropped.
void release_tables(llvm::Module &bitcode);

} // namespace sartor::compiler

#endif
