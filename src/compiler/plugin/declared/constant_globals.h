// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_DECLARED_CONSTANT_GLOBALS_H
#define SARTOR_COMPILER_PLUGIN_DECLARED_CONSTANT_GLOBALS_H

#include <string>

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

namespace sartor::compiler {

/// Decides which global variables keep their values from the beginning of a function to its end, so
/// that one load at the beginning replaces all. Must look at a module before optimization: an
/// inline function then does what every other definition of it does.
///
/// A value may change in between only by a write of this thread, or by one of another thread that
/// happens before the load (C11 5.1.2.4, C++ [intro.races]). The first is excluded if the address
/// is never taken and neither the function nor a callee writes the variable. The second is excluded
/// if neither synchronizes: all callees are known, and none has atomic or volatile accesses,
/// fences, inline assembly that accesses memory, or calls of unknown code.
class ConstantGlobals {
public:
  explicit ConstantGlobals(const llvm::Function &function);

  /// Returns the reason why a variable's value may change; empty if it cannot.
  [[nodiscard]] std::string why_not(const llvm::GlobalVariable &variable) const;

private:
  void follow(const llvm::Function &function);
  void look_at(const llvm::Instruction &instruction);
  void follow_call(const llvm::CallBase &call);

  const llvm::Function &function_;
  llvm::SetVector<const llvm::Function *> reached_;
  llvm::SmallPtrSet<const llvm::GlobalVariable *, 16> written_;
  std::string problem_; ///< Why threads may synchronize in the function; empty if they cannot.
};

} // namespace sartor::compiler

#endif
