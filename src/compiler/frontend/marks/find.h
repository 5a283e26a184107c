// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_MARKS_FIND_H
#define SARTOR_COMPILER_FRONTEND_MARKS_FIND_H

#include <llvm/IR/Module.h>

#include <sartor/space.hpp>

#include "base/result.h"

namespace sartor::compiler {

/// Returns the space of a module whose marks are raised and not yet inlined into other functions.
/// Fails with label_not_constant, bad_choices, conflicting_label.
Result<Space> find_points(llvm::Module &module);

} // namespace sartor::compiler

#endif
