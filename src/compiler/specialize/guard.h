// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_GUARD_H
#define SARTOR_COMPILER_SPECIALIZE_GUARD_H

#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include "base/result.h"

namespace sartor::compiler {

/// What the instructions of a cold copy bear where a point asks for it: a kind of metadata.
constexpr const char *kColdMark = "sartor.cold";

/// A raised point that is to be specialized, or what is guarded like one.
struct PinnedPoint {
  llvm::CallInst *call;
  std::string label;
  std::vector<llvm::Constant *> values; ///< Of the point's type; one or more.
  bool guarded = true;
  llvm::Value *failures = nullptr; ///< Where this point's failures are counted: an i64.
  /// The side exit leads where no promise is leant on: all of the cold copy bears kColdMark.
  bool ends_promises = false;
};

/// Specializes `points`, all of `function`. At each point the value is compared with what the code
/// after it was made for; if it is another one, control leaves by a side exit and never comes back,
/// with all live values carried over: nothing is undone, and nothing executed twice that anybody
/// could tell. Side exits lead to the same place in a copy of the function's blocks, cold, in which
/// all points are generic; or, where the function may as well be begun anew (native_exit.h), into
/// `native`, the function's native code (may be null), which saves compiling the copy. A pointer
/// that is found to be the expected one stays itself (identity.h). A point with several values gets
/// a body for each, up to the end of the iteration of the innermost loop in which the value is
/// computed, or of the function where there is none.
///
/// All other points of the function must have been made generic. Fails with too_many_bodies; the
/// function is unusable then.
Result<void> install_guards(llvm::Function &function, const std::vector<PinnedPoint> &points,
                            llvm::Function *native);

} // namespace sartor::compiler

#endif
