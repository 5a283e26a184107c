// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For programs that have the compiler linked in.
#include "compile/llvm_compiler.h"
#include "jit/find_compiler.h"

namespace sartor::jit {

Result<InsideCompiler *> find_compiler() { return &llvm_compiler(); }

} // namespace sartor::jit
