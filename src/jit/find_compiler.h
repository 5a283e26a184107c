// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_FIND_COMPILER_H
#define SARTOR_JIT_FIND_COMPILER_H

#include <string>

#include <sartor/options.hpp>

#include "compiler/compiler.h"
#include "observe/result.h"

namespace sartor::jit {

/// The compiler, which is loaded the first time. Fails with no_compiler. There are two definitions:
/// jit/load_compiler.cpp for libsartor, compile/linked_compiler.cpp for who has it linked in.
Result<InsideCompiler *> find_compiler();

/// The same; what goes wrong in it fails a job, and does not end the process (jit/crew.h).
Result<InsideCompiler *> inside_compiler();

/// Which compiler makes what no store has.
struct CompilerAt {
  CompilerPlace place = CompilerPlace::inside;
  CompilerServer server = {}; ///< Where that is the place.
};

/// The one that is to be asked. `wanted`: what for, as a message names it. Fails with no_compiler.
Result<Compiler *> compiler(const CompilerAt &where, const std::string &wanted);

} // namespace sartor::jit

#endif
