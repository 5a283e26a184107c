// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/write_guards/guard.h"

#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "compiler/plugin/sections.h"
#include "compiler/plugin/write_guards/constant_uses.h"
#include "compiler/plugin/write_guards/follow_marks.h"
#include "compiler/plugin/write_guards/guard_writes.h"
#include "compiler/plugin/write_guards/watch_table.h"
#include "core/space/guard_section.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// By the index of their row in the table.
using WatchedVariables = llvm::DenseMap<unsigned, llvm::GlobalVariable *>;

constexpr const char *kWatchSection = "sartor_watches";

Constant *row_of(Module &module, const WatchedField &field, GlobalVariable *variable) {
  auto *word = Type::getInt64Ty(module.getContext());
  return ConstantStruct::getAnon(
      {make_string(module, field.record), make_string(module, field.field),
       ConstantInt::get(word, field.record_size), ConstantInt::get(word, field.offset),
       ConstantInt::get(word, field.size), armed_byte(module, field),
       variable ? variable : Constant::getNullValue(PointerType::getUnqual(module.getContext()))});
}

void make_registration(Module &module) {
  call_if_heard(
      *make_shared_constructor(module, "sartor.register_watches"), "sartor_register_watches",
      {make_bound(module, "__start_sartor_watches"), make_bound(module, "__stop_sartor_watches")});
}

json::Array rows_of(const WatchTable &table) {
  json::Array rows;
  for (const WatchedField &field : table.fields)
    rows.push_back(json::Object{{"field", json::fixUTF8(field.name())},
                                {"record_size", field.record_size},
                                {"offset", field.offset},
                                {"size", field.size}});
  return rows;
}

json::Object row_at(const SourcePlace &place, const std::string &field, StringRef key,
                    const std::string &text) {
  return json::Object{{"file", json::fixUTF8(place.file)},
                      {"line", place.line},
                      {"field", json::fixUTF8(field)},
                      {key, json::fixUTF8(text)}};
}

/// Emits the guarded fields of the module for the runtime (sartor/watch.h), and a constructor that
/// registers them.
void add_watches(Module &module, const std::vector<Guarded> &guarded, const WatchTable &table,
                 const WatchedVariables &variables) {
  SmallVector<GlobalValue *> rows;
  for (const auto &[index, field] : enumerate(table.fields))
    if (any_of(guarded, [&](const Guarded &place) { return place.field == field.name(); }))
      rows.push_back(
          make_global(module, row_of(module, field, variables.lookup(static_cast<unsigned>(index))),
                      "sartor.watch", kWatchSection));
  if (rows.empty())
    return;
  appendToUsed(module, rows);
  make_registration(module);
}

/// Emits the guarded and the unproven places for `sartor guards`, in a section that is not loaded.
void add_guard_report(Module &module, const std::vector<Guarded> &guarded,
                      const WatchTable &table) {
  json::Array places;
  for (const Guarded &place : guarded)
    places.push_back(row_at(place.place, place.field, "kind", place.kind));
  json::Array unproven;
  for (const Unproven &place : table.unproven)
    unproven.push_back(row_at(place.place, place.field, "reason", place.reason));
  std::string text;
  raw_string_ostream(text) << json::Value(json::Object{{"watched", rows_of(table)},
                                                       {"guarded", std::move(places)},
                                                       {"unproven", std::move(unproven)}});
  add_unloaded(module, core::kGuardSection, core::kGuardMagic, text);
}

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
                                  " has watched fields, and is LLVM IR, in which stores to them "
                                  "cannot be recognized (compile it from its source)");
    return PreservedAnalyses::none();
  }
  if (table.is_precompiled) {
    module.getContext().emitError(
        "sartor: " + module.getSourceFileName() +
        " takes watched fields from a module or a precompiled header, where their stores have not "
        "been guarded (declare them in a header, and include it)");
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
