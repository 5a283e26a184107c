// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILE_CHECK_MODULE_H
#define SARTOR_COMPILE_CHECK_MODULE_H

#include "observe/result.h"
#include "space/module.h"

namespace sartor::jit {

/// Whether a module that another process has sent describes its bitcode correctly: valid IR for
/// this machine, without module-level assembly, with the handlers, signatures and points that the
/// module lists. Fails with bad_bitcode.
Result<void> check_module(const point::HandlerModule &module);

} // namespace sartor::jit

#endif
