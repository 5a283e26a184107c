// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_ASKING_WRITES_H
#define SARTOR_COMPILER_PLUGIN_ASKING_WRITES_H

#include <vector>

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Functions that do what a write does when they have asked the run time whether it may be, and
/// tell it afterwards (sartor/watch.h). Their calls leave registers alone, so that code which may
/// call them, and hardly ever does, is as good as without.
class AskingWrites {
public:
  explicit AskingWrites(llvm::Module &module) : module_(module) {}

  /// A call at `place` of such a function: its result is the write's, or what that would have been
  /// had it been made.
  llvm::CallInst *call(llvm::Instruction &write, llvm::Instruction &place);

private:
  struct Known {
    llvm::Function *function;
    llvm::Instruction *write; ///< In the function.
  };

  llvm::Function *function_for(llvm::Instruction &write);
  Known make(llvm::Instruction &write);
  llvm::FunctionCallee listener(llvm::StringRef name, llvm::Type *result);

  llvm::Module &module_;
  std::vector<Known> known_;
};

} // namespace sartor::compiler

#endif
