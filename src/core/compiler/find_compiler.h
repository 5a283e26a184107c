// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_FIND_COMPILER_H
#define SARTOR_CORE_COMPILER_FIND_COMPILER_H

#include "base/result.h"
#include "core/compiler/compiler.h"

namespace sartor::core {

/// The compiler, which is loaded at the first call. Fails with no_compiler. There are two
/// definitions: runtime/jit/load_compiler.cpp for libsartor, compiler/codegen/linked_compiler.cpp
/// for programs that link it.
Result<InProcessCompiler *> find_compiler();

} // namespace sartor::core

#endif
