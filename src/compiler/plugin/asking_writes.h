// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_ASKING_WRITES_H
#define SARTOR_COMPILER_PLUGIN_ASKING_WRITES_H

#include <vector>

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Creates functions that ask the runtime whether a write is allowed, perform it, and notify the
/// runtime afterwards (sartor/watch.h). Their calls preserve registers, so that code that contains
/// a call, which is almost never executed, is as good as code without one.
class AskingWrites {
public:
  explicit AskingWrites(llvm::Module &module) : module_(module) {}

  /// Inserts a call of such a function at `place`. Its result is the write's, or the one that the
  /// write would have had if it was refused.
  llvm::CallInst *call(llvm::Instruction &write, llvm::Instruction &place);

private:
  struct Known {
    llvm::Function *function;
    llvm::Instruction *write; ///< The write inside the function.
  };

  llvm::Function *function_for(llvm::Instruction &write);
  Known make(llvm::Instruction &write);
  llvm::FunctionCallee listener(llvm::StringRef name, llvm::Type *result);

  llvm::Module &module_;
  std::vector<Known> known_;
};

} // namespace sartor::compiler

#endif
