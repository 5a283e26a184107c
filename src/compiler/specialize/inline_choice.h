// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_INLINE_CHOICE_H
#define SARTOR_COMPILER_SPECIALIZE_INLINE_CHOICE_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/InstrTypes.h>

#include "compiler/specialize/evaluate.h"
#include "compiler/specialize/reads.h"
#include "compiler/specialize/regions.h"

namespace sartor::compiler {

/// Which calls are inlined for what invariant memory tells about them.
class InlineChoice {
public:
  /// `regions` must outlive this.
  explicit InlineChoice(const Regions &regions) : regions_(regions), reads_(regions) {}

  /// Whether to inline a call now: of what is small, of what is given a function or a pointer by
  /// which it reads invariant memory, and, `thoroughly`, of what comes by a variable that is
  /// invariant in part. Of what calls itself only to `unfold` it by one more level.
  bool should_inline(llvm::CallBase &call, bool thoroughly, bool unfold);

  /// Whether to inline a call before the loop that it stands in is followed for the first time, if
  /// it has a say in how that goes on: of what reads at some place of invariant memory. `evaluator`
  /// has entered the function.
  bool should_inline_ahead(llvm::CallBase &call, const Evaluator &evaluator);

  /// A function is about to go.
  void forget(const llvm::Function &function);

  /// What an argument is known to be, if it is a pointer by which the function that is called reads
  /// what is invariant; or null.
  [[nodiscard]] llvm::Constant *telling(llvm::CallBase &call, unsigned argument);

private:
  bool may_inline(llvm::CallBase &call);
  bool leads_to_invariant(const llvm::Use &argument, llvm::CallBase &call,
                          const Evaluator &evaluator);
  bool can_be_inlined(llvm::Function &function);
  bool is_recursive(llvm::Function &function);
  bool comes_by_invariant(llvm::Function &function);
  [[nodiscard]] bool names_invariant(llvm::Function &function) const;

  const Regions &regions_;
  Reads reads_;
  llvm::DenseMap<const llvm::Function *, bool> recursive_;
  llvm::DenseMap<const llvm::Function *, bool> comes_by_;
};

} // namespace sartor::compiler

#endif
