// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_ANALYSIS_POINTED_TO_H
#define SARTOR_COMPILER_FRONTEND_ANALYSIS_POINTED_TO_H

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// True if a handler, or what it calls, calls by pointer.
bool calls_by_pointer(llvm::Module &module);

/// True for a constant table of functions, such as a virtual table.
bool is_table_of_functions(const llvm::GlobalVariable &variable);

/// Notes that the program has the function under this name, as the module has.
void note_in_program(llvm::Function &function);
[[nodiscard]] bool is_in_program(const llvm::Function &function);

/// Keeps the functions and constants of a file module that the program has as well, while unused
/// code is removed: invariant memory may point to them, even if no code names them. Must be called
/// while variables have their initializers.
void keep_pointed_to(llvm::Module &module);

/// Releases what was kept: afterwards only references keep it. Small functions that nothing points
/// to become parts of variants; others are left to the program.
void release_kept(llvm::Module &module);

} // namespace sartor::compiler

#endif
