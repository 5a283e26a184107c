// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_ASSEMBLY_H
#define SARTOR_COMPILER_PLUGIN_ASSEMBLY_H

#include <vector>

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// True if the text of inline assembly contains a symbol.
bool names(llvm::StringRef assembly, llvm::StringRef symbol);

/// Returns the globals of the native half that inline assembly in the bitcode refers to by name.
/// Names of local globals are unknown outside of the native half, so functions with such assembly
/// become native only. So do functions whose assembly writes to sections.
std::vector<llvm::GlobalValue *> follow_assembly(llvm::Module &bitcode, llvm::Module &native);

} // namespace sartor::compiler

#endif
