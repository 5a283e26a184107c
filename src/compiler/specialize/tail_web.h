// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_TAIL_WEB_H
#define SARTOR_COMPILER_SPECIALIZE_TAIL_WEB_H

#include <string>
#include <vector>

#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/ValueHandle.h>

#include <sartor/remark.hpp>

#include "compiler/specialize/evaluate.h"

namespace sartor::compiler {

/// Makes of an interpreter in tail-call form one that is a loop, so that it can be followed. Where
/// a function calls the first operation, and that is known,
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
/// While it is followed, the operation is what steers. Where nobody knows which comes next, that
/// one's native code is called: there is no generic loop to go on in, and none stays in the code.
class TailWebs {
public:
  /// In a function that `evaluator` has entered.
  TailWebs(llvm::Function &function, const Evaluator &evaluator);

  [[nodiscard]] bool empty() const { return webs_.empty(); }

  /// When it has been followed. Of a web in which nothing was, the call remains that there was.
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

/// Says where a function calls operations that are not followed, or no more, and why. When all is
/// folded; the evaluator has entered the function.
void tell_of_tail_webs(llvm::Function &function, const Evaluator &evaluator,
                       std::vector<Remark> &remarks);

/// Whether a call must not be inlined: it leaves a web that was followed, or begins another one
/// from inside.
bool stays_out_of_web(const llvm::CallBase &call);

} // namespace sartor::compiler

#endif
