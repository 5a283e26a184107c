// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For programs that have the compiler linked in.
#include "compiler/codegen/llvm_compiler.h"
#include "core/compiler/find_compiler.h"

namespace sartor::core {

Result<core::InsideCompiler *> find_compiler() { return &compiler::llvm_compiler(); }

} // namespace sartor::core
