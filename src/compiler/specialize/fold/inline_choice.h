// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_FOLD_INLINE_CHOICE_H
#define SARTOR_COMPILER_SPECIALIZE_FOLD_INLINE_CHOICE_H

#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

#include "compiler/specialize/fold/evaluate.h"
#include "compiler/specialize/fold/reads.h"
#include "compiler/specialize/regions.h"

namespace sartor::compiler {

/// Which functions with a body are reached from others by direct calls. Caches the callees of each
/// function: functions that change later may be answered for as they were.
class CallReach {
public:
  using Functions = llvm::SmallPtrSet<llvm::Function *, 32>;

  /// `or_given`: a function also reaches what it passes to a callee that may call it.
  explicit CallReach(bool or_given) : or_given_(or_given) {}

  /// True if `wanted` holds for a function that is reached from `root`, or for `root`. Adds the
  /// functions for which it was found not to hold to `visited`, and does not enter those that are
  /// in it before.
  bool any(llvm::Function &root, llvm::function_ref<bool(llvm::Function &)> wanted,
           Functions &visited);

  /// Must be called before a function is removed.
  void forget();

private:
  using Callees = llvm::SmallVector<llvm::Function *, 8>;

  const Callees &callees_of(llvm::Function &function);

  const bool or_given_;
  llvm::DenseMap<const llvm::Function *, Callees> callees_;
};

/// Decides which calls are inlined because of invariant memory.
class InlineChoice {
public:
  /// `regions` must outlive this.
  explicit InlineChoice(const Regions &regions) : regions_(regions), reads_(regions) {}

  /// True if a call is to be inlined now: if the callee is small, or receives a function or a
  /// pointer by which it reads invariant memory, or, with `thoroughly`, refers to a variable that
  /// is partly invariant. A recursive callee is only inlined with `unfold`, by one more level.
  bool should_inline(llvm::CallBase &call, bool thoroughly, bool unfold);

  /// True if a call is to be inlined whatever its arguments are: the callee is small and not
  /// recursive.
  bool is_accessor(llvm::CallBase &call);

  /// True if a call is to be inlined before its loop is followed for the first time, because the
  /// callee reads invariant memory at a changing place and may determine how the loop continues.
  /// `evaluator` must have entered the function.
  bool should_inline_ahead(llvm::CallBase &call, const Evaluator &evaluator);

  /// Must be called before a function is removed.
  void forget(const llvm::Function &function);

  /// Returns the known value of an argument, if it is a pointer by which the callee reads invariant
  /// memory; or null.
  [[nodiscard]] llvm::Constant *telling(llvm::CallBase &call, unsigned argument);

private:
  bool may_inline(llvm::CallBase &call);
  bool leads_to_invariant(const llvm::Use &argument, llvm::CallBase &call,
                          const Evaluator &evaluator);
  bool can_be_inlined(llvm::Function &function);
  bool is_small(llvm::Function &function);
  bool is_recursive(llvm::Function &function);
  bool comes_by_invariant(llvm::Function &function);
  bool names_invariant(llvm::Function &function);
  [[nodiscard]] bool is_invariant(const llvm::GlobalVariable &variable) const;

  const Regions &regions_;
  Reads reads_;
  CallReach called_{/*or_given=*/false};
  CallReach called_or_given_{/*or_given=*/true};
  llvm::DenseMap<const llvm::Function *, bool> recursive_;
  llvm::DenseMap<const llvm::Function *, bool> names_;
  /// Functions that come by invariant memory, and functions that do not.
  CallReach::Functions with_, without_;
};

/// Returns the calls in a function's loops that read an instruction or an operand for them: `reads`
/// says that they read invariant memory at some place, and their results, or the variables that
/// they write, determine where the loop reads next or which of many ways it takes.
std::vector<llvm::CallBase *> steering_calls(llvm::Function &function,
                                             llvm::function_ref<bool(llvm::CallBase &)> reads);

} // namespace sartor::compiler

#endif
