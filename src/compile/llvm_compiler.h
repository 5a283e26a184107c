// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILE_LLVM_COMPILER_H
#define SARTOR_COMPILE_LLVM_COMPILER_H

#include "jit/compiler.h"

namespace sartor::jit {

/// The one of this process. Never destroyed.
Compiler &llvm_compiler();

} // namespace sartor::jit

#endif
