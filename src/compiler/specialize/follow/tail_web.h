// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLLOW_TAIL_WEB_H
#define SARTOR_COMPILER_SPECIALIZE_FOLLOW_TAIL_WEB_H

#include <string>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/ValueHandle.h>

#include <sartor/remark.hpp>

#include "compiler/specialize/fold/evaluate.h"

namespace sartor::compiler {

/// Turns an interpreter in tail-call form into a loop, so that it can be followed. If a function
/// calls the first operation, and that is known,
///
///     call @first(%pc, %x)
///
/// becomes
///
///     head:  %f = phi [@first], ...       the operation that comes next, and its arguments
///            switch which.member(%f)      to one of the operations, of which each has its body
///                                         here: it sets the phi nodes and goes to the head
///     other: musttail call %f(...); ret   an operation that is not one of them
///
/// While it is followed, the operation is the value that steers the loop. If the next operation is
/// not known, its native code is called: there is no generic loop to continue in, and none stays in
/// the code.
class TailWebs {
public:
  /// `evaluator` must have entered the function.
  TailWebs(llvm::Function &function, const Evaluator &evaluator);

  [[nodiscard]] bool empty() const { return webs_.empty(); }

  /// Must be called after following. If nothing in a web was followed, the original call is
  /// restored.
  void finish();

private:
  /// A web in the function.
  struct Web {
    llvm::WeakTrackingVH question;
    llvm::WeakTrackingVH leaving; ///< The call of an operation that is none of its members.
  };

  void make(llvm::CallBase &root, llvm::Function &first);
  [[nodiscard]] bool was_followed(unsigned web) const;

  llvm::Function &function_;
  std::vector<Web> webs_;
};

/// Reports the places where a function calls operations that are not followed, or no longer, and
/// why. Must be called when all is folded; `evaluator` must have entered the function.
void report_tail_webs(llvm::Function &function, const Evaluator &evaluator,
                      std::vector<Remark> &remarks);

/// True if a call must not be inlined, because it leaves a followed web, or begins another one from
/// inside.
bool stays_out_of_web(const llvm::CallBase &call);

} // namespace sartor::compiler

#endif
