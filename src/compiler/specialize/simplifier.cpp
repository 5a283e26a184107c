// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/simplifier.h"

#include <llvm/Analysis/InlineCost.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/FunctionAttrs.h>
#include <llvm/Transforms/IPO/Inliner.h>
#include <llvm/Transforms/IPO/ModuleInliner.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "compiler/frontend/machine_nans.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Limit on the size of functions in which stored values are forwarded to loads.
constexpr unsigned kMostToForward = 3000;

} // namespace

Simplifier::Simplifier() {
  // Values that a caller stores in a structure on its stack often decide branches in its callees.
  forwarding_.addPass(ComputeNans());
  forwarding_.addPass(GVNPass());
  passes_.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes_.addPass(ComputeNans());
  passes_.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  passes_.addPass(SimplifyCFGPass());
  passes_.addPass(ADCEPass());
}

void Simplifier::run(Function &function) {
  FunctionAnalysisManager &known = analyses_.functions;
  known.invalidate(function, PreservedAnalyses::none());
  known.invalidate(function, passes_.run(function, known));
  forward(function);
}

void Simplifier::inline_callees(Module &module) {
  ModulePassManager passes;
  passes.addPass(AlwaysInlinerPass());
  ModuleInlinerWrapperPass inliner(getInlineParams());
  inliner.getPM().addPass(PostOrderFunctionAttrsPass());
  FunctionPassManager each;
  each.addPass(SROAPass(SROAOptions::ModifyCFG));
  each.addPass(ComputeNans());
  each.addPass(EarlyCSEPass());
  inliner.getPM().addPass(createCGSCCToFunctionPassAdaptor(std::move(each)));
  passes.addPass(std::move(inliner));
  analyses_.modules.clear();
  passes.run(module, analyses_.modules);
}

void Simplifier::forward(Function &function) {
  FunctionAnalysisManager &known = analyses_.functions;
  known.invalidate(function, PreservedAnalyses::none());
  if (function.getInstructionCount() <= kMostToForward)
    known.invalidate(function, forwarding_.run(function, known));
}

} // namespace sartor::compiler
