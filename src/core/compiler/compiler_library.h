// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_COMPILER_LIBRARY_H
#define SARTOR_CORE_COMPILER_COMPILER_LIBRARY_H

#include "base/own_library.h"

namespace sartor::core {

class InProcessCompiler;

/// The structure that libsartor-compiler exports under the name `sartor_compiler_0`.
struct CompilerLibrary : base::OwnLibrary {
  InProcessCompiler &(*compiler)();
};

constexpr const char *kCompilerLibrary = "libsartor-compiler.so.0";
constexpr const char *kCompilerSymbol = "sartor_compiler_0";

} // namespace sartor::core

#endif
