// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_LLVM_COMPILER_H
#define SARTOR_COMPILER_CODEGEN_LLVM_COMPILER_H

#include "core/compiler/compiler.h"

namespace sartor::compiler {

/// Returns the compiler of this process. It is never destroyed.
core::InProcessCompiler &llvm_compiler();

} // namespace sartor::compiler

#endif
