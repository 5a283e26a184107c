// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_ROTATION_STUB_H
#define SARTOR_COMPILER_CODEGEN_ROTATION_STUB_H

#include <memory>
#include <string>

#include <llvm/IR/Module.h>

#include "base/result.h"
#include "core/compiler/rotation_block.h"

namespace sartor::compiler {

/// Returns the symbol of a handler's stub: `matmul` → `matmul (rotation)`.
std::string rotation_symbol(const std::string &handler);

/// Builds IR of a function with the handler's type that the entry points to while variants are
/// rotated:
///
///     block = thread's table[slot]       not armed for the active plan: site.enter()
///     block.armed = 0
///     begin = time stamp; call block.code; block.ticks += time stamp - begin
///     batch over: site.next()            otherwise: block.armed = as before
///
/// An exception ends the measurement: the time up to it counts. Calls within a call (a handler that
/// calls itself through its entry, a signal handler) find the block not armed and are not timed.
/// The stub must be called in a read section. Fails with point_not_specializable for a variadic
/// handler.
Result<std::unique_ptr<llvm::Module>> rotation_stub(llvm::Function &handler,
                                                    const core::RotationSite &site);

} // namespace sartor::compiler

#endif
