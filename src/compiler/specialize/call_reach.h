// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_SPECIALIZE_CALL_REACH_H
#define SARTOR_COMPILER_SPECIALIZE_CALL_REACH_H

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Function.h>

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

} // namespace sartor::compiler

#endif
