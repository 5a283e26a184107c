// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_POINT_EXACT_FLOATS_H
#define SARTOR_POINT_EXACT_FLOATS_H

#include <llvm/IR/Function.h>

#include "point/closure.h"

namespace sartor::point {

/// Whether the bits that a handler computes depend on how it is compiled: it, or what it calls, may
/// reorder, approximate or divide by way of reciprocals (-ffast-math and the like).
[[nodiscard]] bool has_loose_floats(llvm::Function &handler, References &references);

} // namespace sartor::point

#endif
