// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_ASSEMBLY_H
#define SARTOR_COMPILER_PLUGIN_ASSEMBLY_H

#include <vector>

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Whether an assembly's text contains a symbol.
bool names(llvm::StringRef assembly, llvm::StringRef symbol);

/// The globals of the native half to which inline assembly of the bitcode refers by name. Names of
/// local ones mean nothing outside of the native half: functions with such assembly are made native
/// only, and those whose assembly writes to sections.
std::vector<llvm::GlobalValue *> follow_assembly(llvm::Module &bitcode, llvm::Module &native);

} // namespace sartor::compiler

#endif
