// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/declared/declared_code.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <sartor/declared.h>

#include "compiler/frontend/marks/marks.h"
#include "compiler/plugin/declared/automatic_code.h"
#include "compiler/plugin/declared/automatic_table.h"
#include "compiler/plugin/declared/declared_table.h"
#include "compiler/plugin/declared/point_mark.h"
#include "compiler/plugin/sections.h"
#include "core/space/declaration_section.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// Returns the point for clang's annotation of a parameter, or null.
const DeclaredTable::Point *point_at(const IntrinsicInst &annotation, const DeclaredTable &table) {
  if (annotation.getIntrinsicID() != Intrinsic::var_annotation)
    return nullptr;
  const auto text = compiler::constant_string(annotation.getArgOperand(1));
  StringRef number = text ? StringRef(*text) : StringRef();
  unsigned index = 0;
  if (!number.consume_front(kParameterAnnotation) || number.getAsInteger(10, index) ||
      index >= table.points.size())
    return nullptr;
  return &table.points[index];
}

void put_point(IntrinsicInst &annotation, const DeclaredTable::Point &point) {
  IRBuilder<> builder(&annotation);
  put_mark(builder, *cast<AllocaInst>(annotation.getArgOperand(0)->stripPointerCasts()), point);
  annotation.eraseFromParent();
}

Constant *row_of(Module &module, const DeclaredVariable &variable, GlobalVariable &memory) {
  LLVMContext &context = module.getContext();
  auto *number = Type::getInt32Ty(context);
  auto *word = Type::getInt64Ty(context);
  const DeclaredMemory &declared = variable.declared;
  Constant *function = ConstantPointerNull::get(PointerType::getUnqual(context));
  if (!declared.function.empty())
    function =
        cast<Constant>(module
                           .getOrInsertFunction(declared.function,
                                                FunctionType::get(number, {memory.getType(), word},
                                                                  /*isVarArg=*/false))
                           .getCallee());
  const bool is_quasi_invariant = declared.is == DeclaredUse::Is::quasi_invariant;
  return ConstantStruct::getAnon(
      {make_string(module, declared.name), &memory, ConstantInt::get(word, variable.object_size),
       ConstantInt::get(word, variable.offset), ConstantInt::get(word, variable.size),
       ConstantInt::get(number, is_quasi_invariant ? SARTOR_DECLARED_QUASI_INVARIANT
                                                   : SARTOR_DECLARED_INVARIANT),
       ConstantInt::get(number, static_cast<unsigned>(declared.answer)), function});
}

void make_registration(Module &module) {
  call_if_heard(*make_shared_constructor(module, "sartor.register_declared"),
                "sartor_register_declared",
                {make_bound(module, "__start_sartor_declared"),
                 make_bound(module, "__stop_sartor_declared")});
}

void add_variables(Module &module, const DeclaredTable &table) {
  SmallVector<GlobalValue *> rows;
  for (const DeclaredVariable &variable : table.variables)
    if (GlobalVariable *memory = module.getNamedGlobal(variable.symbol))
      rows.push_back(make_global(module, row_of(module, variable, *memory), "sartor.declared",
                                 "sartor_declared"));
  if (rows.empty())
    return;
  appendToUsed(module, rows);
  make_registration(module);
}

void add_report(Module &module, const DeclaredTable &table) {
  json::Array rows;
  for (const DeclaredRow &row : table.rows)
    rows.push_back(json::Object{{"file", json::fixUTF8(row.place.file)},
                                {"line", row.place.line},
                                {"what", json::fixUTF8(row.what)},
                                {"found", row.is_found}});
  std::string text;
  raw_string_ostream(text) << json::Value(std::move(rows));
  add_unloaded(module, core::kDeclarationSection, core::kDeclarationMagic, text);
}

} // namespace

PreservedAnalyses DeclarePass::run(Module &module, ModuleAnalysisManager &) {
  const DeclaredTable &table = DeclaredTable::of_this_file();
  if (table.rows.empty() && table.points.empty() && AutomaticTable::of_this_file().handlers.empty())
    return PreservedAnalyses::all();
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (auto *annotation = dyn_cast<IntrinsicInst>(&instruction))
        if (const auto *point = point_at(*annotation, table))
          put_point(*annotation, *point);
  complete_automatic_handlers(module);
  add_variables(module, table);
  if (!table.rows.empty())
    add_report(module, table);
  return PreservedAnalyses::none();
}

} // namespace sartor::compiler
