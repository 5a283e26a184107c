// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_OPENING_H
#define SARTOR_JIT_OPENING_H

#include <span>

#include <sartor/module.h>

#include "observe/result.h"
#include "space/module.h"
#include "store/stores.h"

namespace sartor::jit {

/// The modules embedded in a running program, as a store has what opening them comes to, or by the
/// compiler. Fails with what Compiler::load_embedded() fails with, and no_compiler.
Result<point::HandlerModule> open_embedded(std::span<const sartor_module> modules,
                                           const store::Stores &stores, CompilerPlace where);

} // namespace sartor::jit

#endif
