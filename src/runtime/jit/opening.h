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

/// The stores and the compiler for opening modules.
struct Means {
  const core::Stores &stores;
  CompilerAt where;
  /// Takes an event (ahead_of_time_unusable) and its cause.
  std::function<void(std::string_view event, const Failure &failure)> report;
};

/// Returns the modules embedded in a running program, from a store or by the compiler. Fails as
/// Compiler::load_embedded() does, and with no_compiler.
Result<core::HandlerModule> open_embedded(std::span<const sartor_module> modules,
                                          const Means &means);

/// Returns the module in a bitcode or .ll file; its names are resolved by the tables of `symbols`
/// first. Fails as Compiler::load_file() does, and with file_error, no_compiler.
Result<core::HandlerModule> open_file(const std::string &path,
                                      std::span<const sartor_module> symbols, const Means &means);

} // namespace sartor::runtime

#endif
