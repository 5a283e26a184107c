// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_INLINED_COPY_H
#define SARTOR_COMPILER_FRONTEND_INLINED_COPY_H

#include <memory>

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// A copy of a function, in a module of its own, with its callees inlined, in which a helper's
/// writes to its caller's local variables are no longer visible effects.
class InlinedCopy {
public:
  /// `as_generic`: points have their own inputs as values, as in generic code.
  explicit InlinedCopy(llvm::Function &function, bool as_generic = false);

  llvm::Function &function() { return *function_; }

private:
  void drop_marks();
  void simplify();

  std::unique_ptr<llvm::Module> module_;
  llvm::Function *function_ = nullptr;
};

} // namespace sartor::compiler

#endif
