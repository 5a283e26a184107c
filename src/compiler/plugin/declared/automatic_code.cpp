// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/declared/automatic_code.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/llvm_version.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/plugin/declared/automatic_table.h"
#include "compiler/plugin/declared/constant_globals.h"
#include "compiler/plugin/declared/point_mark.h"
#include "compiler/plugin/sections.h"
#include "core/space/readable_name.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kAnnotations = "llvm.global.annotations";
constexpr const char *kMark = "sartor_point_";
constexpr const char *kStart = "sartor_auto_start";

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
void put_point(Function &function, GlobalVariable &variable, ArrayRef<LoadInst *> loads,
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

void add_variables(Function &function, AutomaticTable::Handler &handler) {
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
    put_point(function, *variable, loads, point_of(*variable, handler));
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

} // namespace

void complete_automatic_handlers(Module &module) {
  const auto &remark = AutomaticTable::of_this_file().remark;
  bool has_handlers = false;
  for (const auto &[function, handler] : handlers_of(module)) {
    if (compiler::native_only_reason(*function).empty())
      add_variables(*function, *handler);
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

} // namespace sartor::compiler
