// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_COMPILER_LIBRARY_H
#define SARTOR_JIT_COMPILER_LIBRARY_H

namespace sartor::jit {

class Compiler;

/// What libsartor-compiler shows, under the name `sartor_compiler_0`.
struct CompilerLibrary {
  const char *build_stamp; ///< Of its build; libsartor takes none but its own.
  Compiler &(*compiler)();
};

constexpr const char *kCompilerLibrary = "libsartor-compiler.so.0";
constexpr const char *kCompilerSymbol = "sartor_compiler_0";

} // namespace sartor::jit

#endif
