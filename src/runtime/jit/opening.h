// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_OPENING_H
#define SARTOR_RUNTIME_JIT_OPENING_H

#include <functional>
#include <span>
#include <string_view>

#include <sartor/module.h>

#include "base/result.h"
#include "core/cache/stores.h"
#include "core/space/module.h"
#include "runtime/jit/choose_compiler.h"

namespace sartor::runtime {

/// What modules are opened with.
struct Means {
  const core::Stores &stores;
  CompilerAt where;
  /// Takes an event (beforehand_unusable) and what happened.
  std::function<void(std::string_view event, const Failure &failure)> report;
};

/// The modules embedded in a running program, as a store has what opening them comes to, or by the
/// compiler. Fails with what Compiler::load_embedded() fails with, and no_compiler.
Result<core::HandlerModule> open_embedded(std::span<const sartor_module> modules,
                                          const Means &means);

/// The module in a bitcode or .ll file, its names resolved by the tables of `symbols` first. Fails
/// with what Compiler::load_file() fails with, file_error, and no_compiler.
Result<core::HandlerModule> open_file(const std::string &path,
                                      std::span<const sartor_module> symbols, const Means &means);

} // namespace sartor::runtime

#endif
