// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/fold_library_calls.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/codegen/register_pass.h"
#include "compiler/frontend/library_math.h"

namespace sartor::compiler {

using namespace llvm;

PreservedAnalyses FoldLibraryCalls::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    Constant *result = call ? compiler::compute_library_call(*call) : nullptr;
    if (!result)
      continue;
    call->replaceAllUsesWith(result);
    call->eraseFromParent();
    changed = true;
  }
  if (!changed)
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

void register_fold_library_calls(PassBuilder &builder) {
  builder.registerPeepholeEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) { passes.addPass(FoldLibraryCalls()); });
  register_by_name<FoldLibraryCalls>(builder);
}

} // namespace sartor::compiler
