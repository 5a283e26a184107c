// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILE_LLVM_COMPILER_H
#define SARTOR_COMPILE_LLVM_COMPILER_H

#include "compiler/compiler.h"

namespace sartor::jit {

/// The one of this process. Never destroyed.
InsideCompiler &llvm_compiler();

} // namespace sartor::jit

#endif
