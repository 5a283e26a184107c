// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLLOW_STEERING_CALLS_H
#define SARTOR_COMPILER_SPECIALIZE_FOLLOW_STEERING_CALLS_H

#include <vector>

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/InstrTypes.h>

namespace sartor::compiler {

/// Returns the calls in a function's loops that read an instruction or an operand for them: `reads`
/// says that they read invariant memory at some place, and their results, or the variables that
/// they write, determine where the loop reads next or which of many ways it takes.
std::vector<llvm::CallBase *> steering_calls(llvm::Function &function,
                                             llvm::function_ref<bool(llvm::CallBase &)> reads);

} // namespace sartor::compiler

#endif
