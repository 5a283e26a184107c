// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_CHECK_MODULE_H
#define SARTOR_COMPILER_CODEGEN_CHECK_MODULE_H

#include "base/result.h"
#include "core/space/module.h"

namespace sartor::compiler {

/// Checks that a module that another process has sent describes its bitcode correctly: valid IR for
/// this machine, without module-level assembly, with the handlers, signatures and points that the
/// module lists. Fails with bad_bitcode.
Result<void> check_module(const core::HandlerModule &module);

} // namespace sartor::compiler

#endif
