// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_GUARD_H
#define SARTOR_COMPILER_SPECIALIZE_GUARD_H

#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include "base/result.h"

namespace sartor::compiler {

/// Metadata of the instructions of a generic copy, if a point requests it.
constexpr const char *kSideExitMark = "sartor.cold";

/// A raised point that is to be specialized, or another value guarded like one.
struct PinnedPoint {
  llvm::CallInst *call;
  std::string label;
  std::vector<llvm::Constant *> values; ///< Of the point's type; one or more.
  bool guarded = true;
  llvm::Value *failures = nullptr; ///< The counter of this point's failures: an i64.
  /// True if the code behind the side exit must not depend on invariants: all instructions of the
  /// generic copy get kSideExitMark.
  bool ends_invariants = false;
};

/// Specializes `points`, all in `function`. At each point the value is compared with the value that
/// the following code was generated for. If they differ, control leaves by a side exit and does not
/// return, with all live values carried over: nothing is undone, and no observable action is
/// executed twice. Side exits lead to the same place in a generic copy of the function's blocks,
/// marked cold, in which all points are generic; or, if the function may be restarted, to `native`,
/// the function's native code (may be null), which saves compiling the copy. A pointer that equals
/// the expected one is not replaced by it (identity.h). A point with several values gets a body for
/// each, up to the end of the iteration of the innermost loop in which the value is computed, or of
/// the function if there is none.
///
/// All other points of the function must have been made generic. Fails with too_many_bodies; the
/// function is unusable after a failure.
Result<void> install_guards(llvm::Function &function, const std::vector<PinnedPoint> &points,
                            llvm::Function *native);

} // namespace sartor::compiler

#endif
