// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_LOADS_LEFT_H
#define SARTOR_COMPILER_CODEGEN_LOADS_LEFT_H

#include <optional>
#include <vector>

#include <llvm/IR/Module.h>
#include <sartor/remark.hpp>

#include "core/request/invariant_memory.h"

namespace sartor::compiler {

/// Returns a remark if optimized code loads from known addresses within the regions, except behind
/// failed guards and in other unlikely code.
std::optional<Remark> loads_left(const llvm::Module &module,
                                 const std::vector<core::Region> &regions);

} // namespace sartor::compiler

#endif
