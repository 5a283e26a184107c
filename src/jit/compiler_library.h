// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_COMPILER_LIBRARY_H
#define SARTOR_JIT_COMPILER_LIBRARY_H

#include "engine/own_library.h"

namespace sartor::jit {

class InsideCompiler;

/// What libsartor-compiler shows, under the name `sartor_compiler_0`.
struct CompilerLibrary : engine::OwnLibrary {
  InsideCompiler &(*compiler)();
};

constexpr const char *kCompilerLibrary = "libsartor-compiler.so.0";
constexpr const char *kCompilerSymbol = "sartor_compiler_0";

} // namespace sartor::jit

#endif
