// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_CHOOSE_COMPILER_H
#define SARTOR_RUNTIME_JIT_CHOOSE_COMPILER_H

#include <string>

#include <sartor/options.hpp>

#include "base/result.h"
#include "core/compiler/compiler.h"

namespace sartor::runtime {

/// As core::find_compiler(); what goes wrong in it fails a job, and does not end the process
/// (runtime/jit/crew.h).
Result<core::InsideCompiler *> inside_compiler();

/// Which compiler makes what no store has.
struct CompilerAt {
  CompilerPlace place = CompilerPlace::inside;
  CompilerServer server = {}; ///< Where that is the place.
};

/// The one that is to be asked. `wanted`: what for, as a message names it. Fails with no_compiler.
Result<core::Compiler *> choose_compiler(const CompilerAt &where, const std::string &wanted);

} // namespace sartor::runtime

#endif
