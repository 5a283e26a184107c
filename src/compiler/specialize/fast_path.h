// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FAST_PATH_H
#define SARTOR_COMPILER_SPECIALIZE_FAST_PATH_H

#include <llvm/IR/Function.h>

#include "compiler/frontend/marks/call_marks.h"
#include "core/request/context.h"

namespace sartor::compiler {

/// Attribute of the generic call behind a fast path.
constexpr const char *kMissAttribute = "sartor-miss";

/// Makes a fast path's wrapper, whose body is the generic one, return known answers: a few by a
/// chain of comparisons, the most frequent first; more by a perfect hash table ("hash and
/// displace": R. Pagh, WADS 1999), whose cost does not depend on their number. All other inputs,
/// and all inputs once the point's version has changed, call the function.
void answer(llvm::Function &wrapper, const CallMark &mark, const core::Answers &answers);

} // namespace sartor::compiler

#endif
