// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/declared/declared_code.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <sartor/declared.h>

#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/llvm_version.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/plugin/declared/automatic_table.h"
#include "compiler/plugin/declared/constant_globals.h"
#include "compiler/plugin/declared/declared_table.h"
#include "compiler/plugin/sections.h"
#include "core/space/declaration_section.h"
#include "core/space/readable_name.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kAnnotations = "llvm.global.annotations";
constexpr const char *kMark = "sartor_point_";
constexpr const char *kStart = "sartor_auto_start";

Constant *choices_of(Module &module, const DeclaredTable::Point &point, Type *type) {
  auto *pointer = PointerType::getUnqual(module.getContext());
  if (point.choices.empty())
    return ConstantPointerNull::get(pointer);
  SmallVector<Constant *> values;
  for (const std::uint64_t bits : point.choices)
    values.push_back(ConstantInt::get(type->getContext(),
                                      APInt(64, bits).zextOrTrunc(type->getIntegerBitWidth())));
  auto *list = ConstantArray::get(ArrayType::get(type, values.size()), values);
  return new GlobalVariable(module, list->getType(), /*isConstant=*/true,
                            GlobalValue::PrivateLinkage, list, "sartor.choices");
}

/// Inserts the mark that the macros of points.h would leave for a point whose value is in a
/// temporary.
void put_mark(IRBuilderBase &builder, AllocaInst &temporary, const DeclaredTable::Point &point) {
  Module &module = *temporary.getModule();
  auto *pointer = builder.getPtrTy();
  auto *number = builder.getInt32Ty();
  const FunctionCallee mark =
      module.getOrInsertFunction(kMark, FunctionType::get(builder.getVoidTy(),
                                                          {pointer, pointer, number, number, number,
                                                           pointer, number, pointer, number},
                                                          /*isVarArg=*/false));
  builder.CreateCall(
      mark, {&temporary, make_string(module, point.label), builder.getInt32(point.kind),
             builder.getInt32(point.is_signed ? 1 : 0), builder.getInt32(point.is_bool ? 1 : 0),
             choices_of(module, point, temporary.getAllocatedType()),
             builder.getInt32(static_cast<unsigned>(point.choices.size())),
             make_string(module, point.place.file), builder.getInt32(point.place.line)});
}

std::string text_of(const Constant &row) {
  return compiler::constant_string(row.getOperand(1)).value_or("");
}

Function *subject_of(const Constant &row) {
  return dyn_cast<Function>(row.getOperand(0)->stripPointerCasts());
}

/// Removes rows from clang's list of annotations.
template <class Unwanted> void remove_annotations(Module &module, Unwanted is_unwanted) {
  GlobalVariable *list = module.getGlobalVariable(kAnnotations);
  if (!list || !list->hasInitializer())
    return;
  std::vector<Constant *> kept;
  for (const Use &row : list->getInitializer()->operands())
    if (!is_unwanted(*cast<Constant>(row)))
      kept.push_back(cast<Constant>(row));
  if (kept.size() == list->getInitializer()->getNumOperands())
    return;
  if (!kept.empty()) {
    auto *rows = ConstantArray::get(ArrayType::get(kept.front()->getType(), kept.size()), kept);
    auto *fewer = new GlobalVariable(module, rows->getType(), list->isConstant(),
                                     list->getLinkage(), rows, "", list);
    fewer->takeName(list);
    fewer->setSection(list->getSection());
  }
  list->eraseFromParent();
}

/// Returns the automatic handlers that the module defines, by clang's annotations.
MapVector<Function *, AutomaticTable::Handler *> handlers_of(Module &module) {
  MapVector<Function *, AutomaticTable::Handler *> found;
  const GlobalVariable *list = module.getGlobalVariable(kAnnotations);
  if (!list || !list->hasInitializer())
    return found;
  auto &handlers = AutomaticTable::of_this_file().handlers;
  for (const Use &row : list->getInitializer()->operands()) {
    const std::string text = text_of(*cast<Constant>(row));
    StringRef number = text;
    unsigned index = 0;
    Function *function = subject_of(*cast<Constant>(row));
    if (function && number.consume_front(kAutomaticAnnotation) && !number.getAsInteger(10, index) &&
        index < handlers.size())
      found[function] = &handlers[index];
  }
  return found;
}

/// Returns the variables that a function loads as a whole or by a field, with the loads of the
/// whole.
MapVector<GlobalVariable *, SmallVector<LoadInst *>> loads_in(Function &function) {
  MapVector<GlobalVariable *, SmallVector<LoadInst *>> loads;
  const DataLayout &layout = function.getDataLayout();
  for (Instruction &instruction : instructions(function)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (!load || !(load->getType()->isIntegerTy() || load->getType()->isFloatingPointTy()))
      continue;
    APInt offset(layout.getPointerSizeInBits(), 0);
    llvm::Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true);
    if (const auto *local = dyn_cast<IntrinsicInst>(base);
        local && local->getIntrinsicID() == Intrinsic::threadlocal_address)
      base = local->getArgOperand(0);
    auto *variable = dyn_cast<GlobalVariable>(base);
    if (!variable || variable->isConstant())
      continue;
    auto &of_variable = loads[variable];
    if (load->getPointerOperand() == variable)
      of_variable.push_back(load);
  }
  return loads;
}

/// The optimizer treats such a variable as a constant.
bool is_never_written(const GlobalVariable &variable) {
  return variable.hasLocalLinkage() && !variable.isThreadLocal() &&
         all_of(variable.users(), [](const User *user) {
           const auto *load = dyn_cast<LoadInst>(user);
           return load && load->isSimple();
         });
}

/// Returns what the source says of a variable. Of a static variable in a function, only the name is
/// known.
AutomaticTable::Variable in_source(const GlobalVariable &variable,
                                   const AutomaticTable::Handler &handler) {
  const auto known = handler.variables.find(variable.getName().str());
  if (known != handler.variables.end())
    return known->second;
  AutomaticTable::Variable source;
  source.name = core::readable_name(variable.getName().str());
  return source;
}

DeclaredTable::Point point_of(const GlobalVariable &variable, AutomaticTable::Handler &handler) {
  const AutomaticTable::Variable source = in_source(variable, handler);
  std::string label = handler.label + "." + source.name;
  while (std::ranges::find(handler.labels, label) != handler.labels.end())
    label += ".static";
  handler.labels.push_back(label);
  return {.label = std::move(label),
          .kind = kGeneric,
          .is_signed = source.is_signed && variable.getValueType()->isIntegerTy(),
          .is_bool = source.is_bool,
          .choices = {},
          .place = source.place};
}

// Loads the variable once. If another thread writes it meanwhile, the function does not read it
// further on, and the value, which LLVM leaves undefined, must not matter.
void put_point_of_variable(Function &function, GlobalVariable &variable, ArrayRef<LoadInst *> loads,
                           const DeclaredTable::Point &point) {
  BasicBlock &entry = function.getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  Type *type = variable.getValueType();
  auto *temporary = builder.CreateAlloca(type, nullptr, "sartor.auto." + variable.getName());
  LoadInst *value = builder.CreateAlignedLoad(type, &variable, variable.getAlign());
  value->setMetadata(LLVMContext::MD_nosanitize, MDNode::get(function.getContext(), {}));
  builder.CreateStore(builder.CreateFreeze(value), temporary);
  put_mark(builder, *temporary, point);
  for (LoadInst *load : loads) {
    builder.SetInsertPoint(load);
    load->replaceAllUsesWith(builder.CreateLoad(type, temporary));
    load->eraseFromParent();
  }
}

void add_points_of_variables(Function &function, AutomaticTable::Handler &handler) {
  const ConstantGlobals constant(function);
  std::vector<std::pair<GlobalVariable *, SmallVector<LoadInst *>>> points;
  for (auto &[variable, loads] : loads_in(function)) {
    if (is_never_written(*variable))
      continue;
    std::string reason = constant.why_not(*variable);
    if (reason.empty() && (handler.is_shared || !function.hasExactDefinition()))
      reason = "is read by an inline function, and each file has a variable of its own";
    if (reason.empty())
      points.emplace_back(variable, loads);
    else
      AutomaticTable::of_this_file().remark(
          handler, "the variable \"" + in_source(*variable, handler).name + "\" " + reason);
  }
  for (const auto &[variable, loads] : points)
    put_point_of_variable(function, *variable, loads, point_of(*variable, handler));
}

/// Returns the reason why a function cannot be a handler, or needs not be one.
std::string why_not(const Function &function, const AutomaticTable::Handler &handler) {
  if (handler.labels.empty())
    return "has no parameter and reads no variable whose value may be a point";
  if (function.isInterposable())
    return "is weak: another definition may replace it";
  if (std::string problem = jump_problem(function); !problem.empty())
    return problem;
  return compiler::native_only_reason(function);
}

void remove_marks(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (const auto *call = dyn_cast<CallInst>(&instruction))
      if (const Function *callee = call->getCalledFunction(); callee && callee->getName() == kMark)
        instruction.eraseFromParent();
}

void make_start(Module &module) {
  LLVMContext &context = module.getContext();
  auto *pointer = PointerType::getUnqual(context);
  IRBuilder<> builder(
      BasicBlock::Create(context, "", make_shared_constructor(module, "sartor.auto_start")));
  // Not weak, so that the linker keeps libsartor.
  builder.CreateCall(
      module.getOrInsertFunction(kStart, FunctionType::get(builder.getVoidTy(), {pointer, pointer},
                                                           /*isVarArg=*/false)),
      {make_bound(module, "__start_sartor_modules"), make_bound(module, "__stop_sartor_modules")});
  builder.CreateRetVoid();
}

/// The LLVM half of automatic handlers, after marks at their parameters have been inserted: adds
/// points for the global variables that they read (constant_globals.h), makes functions without
/// points or variants ordinary ones again, and adds a constructor that calls sartor_auto_start().
void complete_automatic_handlers(Module &module) {
  const auto &remark = AutomaticTable::of_this_file().remark;
  bool has_handlers = false;
  for (const auto &[function, handler] : handlers_of(module)) {
    if (compiler::native_only_reason(*function).empty())
      add_points_of_variables(*function, *handler);
    const std::string reason = why_not(*function, *handler);
    const bool is_elsewhere = function->isDeclarationForLinker();
    // A shared definition keeps its points, and stays without variants.
    const bool is_removed = !reason.empty() && (handler->labels.empty() || !handler->is_shared ||
                                                !jump_problem(*function).empty());
    if (!reason.empty())
      remark(*handler, reason);
    else if (is_elsewhere)
      remark(*handler, "is inline without a definition in this file: calls reach variants only if "
                       "they are not inlined");
    else
      has_handlers = true;
    if (is_removed)
      remove_marks(*function);
    remove_annotations(module, [&](const Constant &row) {
      const std::string text = text_of(row);
      return subject_of(row) == function &&
             ((is_removed && StringRef(text).starts_with("sartor.")) ||
              (is_elsewhere && text == "sartor.direct"));
    });
  }
  remove_annotations(module, [](const Constant &row) {
    return StringRef(text_of(row)).starts_with(kAutomaticAnnotation);
  });
  if (has_handlers)
    make_start(module);
}

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
