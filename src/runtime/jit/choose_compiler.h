// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_CHOOSE_COMPILER_H
#define SARTOR_RUNTIME_JIT_CHOOSE_COMPILER_H

#include <string>

#include <sartor/options.hpp>

#include "base/result.h"
#include "core/compiler/compiler.h"

namespace sartor::runtime {

/// As core::find_compiler(); a fatal error in the compiler fails a job, and does not end the
/// process (runtime/jit/thread_pool.h).
Result<core::InProcessCompiler *> in_process_compiler();

/// The compiler that makes code that no store has.
struct CompilerAt {
  CompilerLocation place = CompilerLocation::in_process;
  CompilerServer server = {}; ///< Used if that is the place.
  std::uint64_t memory = 0;   ///< See core::Purpose.
};

/// Returns the compiler to use. `wanted` is the purpose, as a message names it. Fails with
/// no_compiler.
Result<core::Compiler *> choose_compiler(const CompilerAt &where, const std::string &wanted);

} // namespace sartor::runtime

#endif
