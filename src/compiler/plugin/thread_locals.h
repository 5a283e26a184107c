// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_THREAD_LOCALS_H
#define SARTOR_COMPILER_PLUGIN_THREAD_LOCALS_H

#include <string>

#include "names.h"

namespace sartor::compiler {

/// Makes the copy access thread-local variables through accessor functions, which are added to the
/// native half: ORC has no native thread-local storage for variables that it did not create, so the
/// program's own code returns their addresses. `suffix` makes the accessors' names unique.
void reach_thread_locals(llvm::Module &bitcode, llvm::Module &native, const Originals &originals,
                         const std::string &suffix);

} // namespace sartor::compiler

#endif
