// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_ROTATION_STUB_H
#define SARTOR_COMPILER_CODEGEN_ROTATION_STUB_H

#include <memory>
#include <string>

#include <llvm/IR/Module.h>

#include "base/result.h"
#include "core/compiler/rotation_block.h"

namespace sartor::compiler {

/// `matmul` → `matmul (rotation)`.
std::string rotation_symbol(const std::string &handler);

/// IR of a function of the handler's own type that an entry leads to while variants are rotated:
///
///     block = thread's table[slot]       not armed for the plan in force: site.enter()
///     block.armed = 0
///     begin = time stamp; call block.code; block.ticks += time stamp - begin
///     batch over: site.next()            otherwise: block.armed = as before
///
/// Also by an exception, whose time counts up to here. Calls within a call (a handler that calls
/// itself through its entry, a signal handler) find the block not armed and are not timed. To be
/// called in a read section. Fails with point_not_specializable for a handler with a
/// variable number of arguments.
Result<std::unique_ptr<llvm::Module>> rotation_stub(llvm::Function &handler,
                                                    const core::RotationSite &site);

} // namespace sartor::compiler

#endif
