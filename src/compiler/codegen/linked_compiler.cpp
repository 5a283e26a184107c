// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Provides the compiler to programs that are linked with it.
#include "compiler/codegen/llvm_compiler.h"
#include "core/compiler/find_compiler.h"

namespace sartor::core {

Result<core::InProcessCompiler *> find_compiler() { return &compiler::llvm_compiler(); }

} // namespace sartor::core
