// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guard.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>

#include "follow_marks.h"
#include "guard_writes.h"
#include "watch_sections.h"

namespace sartor::plugin {

using namespace llvm;

namespace {

bool is_watched(const IntrinsicInst &annotation) {
  const auto *text = dyn_cast<GlobalVariable>(annotation.getArgOperand(1)->stripPointerCasts());
  const auto *data = text && text->hasInitializer()
                         ? dyn_cast<ConstantDataArray>(text->getInitializer())
                         : nullptr;
  return data && data->isCString() && data->getAsCString() == kWatchedAnnotation;
}

/// Removes what clang makes of the annotation of a field, wherever the field is used. Whether there
/// was any.
bool erase_annotations(Module &module) {
  bool found = false;
  for (Function &function : module)
    if (function.getIntrinsicID() == Intrinsic::ptr_annotation)
      for (User *user : make_early_inc_range(function.users()))
        if (auto *annotation = dyn_cast<IntrinsicInst>(user);
            annotation && is_watched(*annotation)) {
          annotation->replaceAllUsesWith(annotation->getArgOperand(0));
          annotation->eraseFromParent();
          found = true;
        }
  return found;
}

} // namespace

PreservedAnalyses GuardPass::run(Module &module, ModuleAnalysisManager &analyses) {
  WatchTable &table = WatchTable::of_this_file();
  if (erase_annotations(module) && !table.is_written) {
    module.getContext().emitError("sartor: " + module.getSourceFileName() +
                                  " has watched fields, and comes as LLVM's code, where their "
                                  "stores cannot be told any more (compile it from its source)");
    return PreservedAnalyses::none();
  }
  if (table.fields.empty())
    return PreservedAnalyses::all();
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  std::vector<Guarded> guarded;
  if (Function *mark = module.getFunction(kMarkFunction)) {
    const auto library = [&](Function &function) -> const TargetLibraryInfo & {
      return functions.getResult<TargetLibraryAnalysis>(function);
    };
    const Writes writes = MarkFollower(*mark, table, library).follow();
    guarded = guard(module, writes, table);
  }
  add_watches(module, guarded, table);
  add_guard_report(module, guarded, table);
  return PreservedAnalyses::none();
}

} // namespace sartor::plugin
