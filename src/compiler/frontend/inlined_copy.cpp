// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/inlined_copy.h"

#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/IPO/Inliner.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include "compiler/frontend/analyses.h"
#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/clone.h"
#include "compiler/frontend/marks/marks.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Large enough for typical lookups.
constexpr int kInlineThreshold = 2000;

} // namespace

InlinedCopy::InlinedCopy(Function &function, bool as_generic) {
  const auto reachable = called_functions(function);
  ValueToValueMapTy map;
  module_ = clone_module(*function.getParent(), map, [&](const GlobalValue *value) {
    if (const auto *variable = dyn_cast<GlobalVariable>(value))
      return !names_label_outside(*variable, reachable);
    const auto *called = dyn_cast<Function>(value);
    return !called || (reachable.contains(const_cast<Function *>(called)) &&
                       native_only_reason(*called).empty());
  });
  function_ = cast<Function>(map.lookup(&function));
  for (Function &copy : *module_)
    if (!copy.isDeclaration()) {
      // A variant consists of exactly these bodies.
      copy.setComdat(nullptr);
      copy.setLinkage(&copy == function_ ? GlobalValue::ExternalLinkage
                                         : GlobalValue::InternalLinkage);
      copy.removeFnAttr(Attribute::NoInline);
    }
  if (as_generic)
    drop_marks();
  simplify();
}

void InlinedCopy::drop_marks() {
  erase_locals(*module_);
  for (Function &copy : *module_)
    for (Instruction &instruction : make_early_inc_range(instructions(copy)))
      if (is_mark(instruction)) {
        auto &call = cast<CallInst>(instruction);
        if (!call.getType()->isVoidTy())
          call.replaceAllUsesWith(call.getArgOperand(0));
        call.eraseFromParent();
      }
}

void InlinedCopy::simplify() {
  PassBuilder builder;
  Analyses analyses(builder);
  FunctionPassManager each;
  each.addPass(SROAPass(SROAOptions::ModifyCFG));
  each.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  ModuleInlinerWrapperPass inliner(getInlineParams(kInlineThreshold));
  inliner.getPM().addPass(createCGSCCToFunctionPassAdaptor(std::move(each)));
  inliner.getPM().addPass(PostOrderFunctionAttrsPass());
  ModulePassManager passes;
  passes.addPass(std::move(inliner));
  passes.run(*module_, analyses.modules);
}

} // namespace sartor::compiler
