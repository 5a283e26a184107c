// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/simplify.h"

#include <llvm/Passes/PassBuilder.h>

#include "compiler/frontend/analyses.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kPasses =
    "always-inline,function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,simplifycfg)"
    ",globaldce";

// With -O0, clang forbids optimization of every function.
void permit_optimisation(Module &module) {
  for (Function &function : module)
    if (function.hasOptNone()) {
      function.removeFnAttr(Attribute::OptimizeNone);
      function.removeFnAttr(Attribute::NoInline);
    }
}

} // namespace

void simplify(Module &module) {
  permit_optimisation(module);
  PassBuilder builder;
  Analyses analyses(builder);
  ModulePassManager passes;
  cantFail(builder.parsePassPipeline(passes, kPasses));
  passes.run(module, analyses.modules);
}

} // namespace sartor::compiler
