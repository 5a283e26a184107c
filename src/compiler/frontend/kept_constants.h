// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_KEPT_CONSTANTS_H
#define SARTOR_COMPILER_FRONTEND_KEPT_CONSTANTS_H

#include <vector>

#include <llvm/IR/Module.h>

#include "core/space/module.h"

namespace sartor::compiler {

/// What their names begin with.
constexpr const char *kKeptPrefix = "sartor.kept.";

/// Gives the local constants of a module file that are plain data, literals above all, a place that
/// lasts as long as the process: no native half has them, and a variant may hand out their
/// addresses. Returns what is to lie there; the module knows them by their contents.
std::vector<core::HandlerModule::Constant> keep_constants(llvm::Module &module);

} // namespace sartor::compiler

#endif
