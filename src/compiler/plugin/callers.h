// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_CALLERS_H
#define SARTOR_COMPILER_PLUGIN_CALLERS_H

#include <string>

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Makes the bitcode call functions of the C library that inspect their caller
/// (compiler/frontend/native_only.h) through functions added to the native half: the code of
/// variants belongs to no shared object. `suffix` makes their names unique.
void call_from_native(llvm::Module &bitcode, llvm::Module &native, const std::string &suffix);

} // namespace sartor::compiler

#endif
