// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/lower.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include "compiler/frontend/host.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr StringRef kCounters = "llvm.instrprof.";

// Families of intrinsics that neither tier lowers: they are for LTO, for managed languages and for
// counters of native code.
constexpr StringRef kNotLowered[] = {"llvm.type.test",
                                     "llvm.type.checked.load",
                                     "llvm.public.type.test",
                                     "llvm.icall.branch.funnel",
                                     "llvm.experimental.guard",
                                     "llvm.experimental.deoptimize",
                                     "llvm.experimental.gc.",
                                     "llvm.experimental.widenable",
                                     "llvm.gcread",
                                     "llvm.gcwrite",
                                     "llvm.call.preallocated.",
                                     "llvm.coro.id.retcon",
                                     "llvm.coro.id.async",
                                     kCounters};

bool is_lowered(const Function &intrinsic) {
  const StringRef name = intrinsic.getName();
  if (intrinsic.isTargetIntrinsic())
    return !host().triple.isX86() || name.starts_with("llvm.x86.");
  return none_of(kNotLowered, [&](StringRef family) { return name.starts_with(family); });
}

} // namespace

bool drop_native_counters(Module &module) {
  bool were_any = false;
  for (Function &function : make_early_inc_range(module)) {
    if (!function.getName().starts_with(kCounters) || !function.isIntrinsic())
      continue;
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = cast<CallInst>(user);
      if (!call->getType()->isVoidTy())
        call->replaceAllUsesWith(Constant::getNullValue(call->getType()));
      call->eraseFromParent();
    }
    function.eraseFromParent();
    were_any = true;
  }
  return were_any;
}

std::string lowering_problem(const Module &module) {
  for (const Function &function : module)
    if (function.isIntrinsic() && !function.use_empty() && !is_lowered(function))
      return "uses " + function.getName().str() + ", of which LLVM makes no code by itself";
  return "";
}

} // namespace sartor::compiler
