// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guard.h"

#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PassManager.h>

#include "constant_uses.h"
#include "follow_marks.h"
#include "guard_writes.h"
#include "watch_sections.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

bool is_watched(const Value &annotation) {
  const auto *text = dyn_cast<GlobalVariable>(annotation.stripPointerCasts());
  const auto *data = text && text->hasInitializer()
                         ? dyn_cast<ConstantDataArray>(text->getInitializer())
                         : nullptr;
  return data && data->isCString() && data->getAsCString() == kWatchedAnnotation;
}

/// Removes clang's calls for the annotation of a field at each use of the field. Returns true if
/// there were any.
bool erase_annotations(Module &module) {
  bool found = false;
  for (Function &function : module)
    if (function.getIntrinsicID() == Intrinsic::ptr_annotation)
      for (User *user : make_early_inc_range(function.users()))
        if (auto *annotation = dyn_cast<IntrinsicInst>(user);
            annotation && is_watched(*annotation->getArgOperand(1))) {
          annotation->replaceAllUsesWith(annotation->getArgOperand(0));
          annotation->eraseFromParent();
          found = true;
        }
  return found;
}

/// True if a variable still has the annotation; the front-end half removes it where it has an
/// effect.
bool annotates_variables(const Module &module) {
  const GlobalVariable *list = module.getGlobalVariable("llvm.global.annotations");
  return list && list->hasInitializer() &&
         any_of(list->getInitializer()->operands(),
                [](const Use &row) { return is_watched(*cast<Constant>(row)->getOperand(1)); });
}

/// Returns the watched variables that are marked, by the index of their row in the table.
WatchedVariables variables_of(const Function &mark, const WatchTable &table) {
  WatchedVariables variables;
  for (const User *user : mark.users()) {
    const auto *call = cast<CallInst>(user);
    auto *variable = dyn_cast<GlobalVariable>(call->getArgOperand(0)->stripPointerCasts());
    const auto number = cast<ConstantInt>(call->getArgOperand(1))->getZExtValue();
    for (const WatchedPart &part : table.marks[number].parts)
      if (variable && table.fields[part.field].record.empty() && part.offset == 0)
        variables[part.field] = variable;
  }
  return variables;
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
  if (annotates_variables(module))
    module.getContext().emitError("sartor: " + module.getSourceFileName() +
                                  ": SARTOR_WATCHED is for fields, and for variables outside of "
                                  "functions, compiled from their source");
  if (table.fields.empty())
    return PreservedAnalyses::all();
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  const auto library = [&](Function &function) -> const TargetLibraryInfo & {
    return functions.getResult<TargetLibraryAnalysis>(function);
  };
  ConstantUses(module, table, library).list();
  std::vector<Guarded> guarded;
  WatchedVariables variables;
  if (Function *mark = module.getFunction(kMarkFunction)) {
    variables = variables_of(*mark, table);
    const Writes writes = MarkFollower(*mark, table, library).follow();
    guarded = guard(module, writes, table);
  }
  add_watches(module, guarded, table, variables);
  add_guard_report(module, guarded, table);
  return PreservedAnalyses::none();
}

} // namespace sartor::compiler
