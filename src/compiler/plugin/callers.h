// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_CALLERS_H
#define SARTOR_COMPILER_PLUGIN_CALLERS_H

#include <string>

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Has functions of the C library that look at who calls them (compiler/frontend/native_only.h)
/// called from the native half, by functions that are added to it: the code of variants is in no
/// object. `suffix` makes their names unique.
void call_from_native(llvm::Module &bitcode, llvm::Module &native, const std::string &suffix);

} // namespace sartor::compiler

#endif
