// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>

#include "compiler/frontend/marks/marks.h"
#include "compiler/plugin/declared/foreign.h"
#include "compiler/plugin/sections.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kPoint = "sartor_point_";
constexpr const char *kIsConstant = "sartor_is_constant_"; // a builtin function in C
constexpr const char *kMarks[] = {kPoint,      "sartor_call_point_", "sartor_assert_const_",
                                  kIsConstant, "sartor_one_of_",     "sartor_local_"};
// The operands of a point that contain its choices and their number.
enum Operand : unsigned { kChoices = 5, kCount = 6 };

std::vector<CallInst *> marks_of(Module &module) {
  std::vector<CallInst *> found;
  for (const char *name : kMarks)
    if (Function *mark = module.getFunction(name))
      for (User *user : mark->users())
        if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledFunction() == mark)
          found.push_back(call);
  return found;
}

// rustc gives variables on the stack a size, but no type.
AllocaInst *temporary_of_bytes(const CallInst &mark) {
  auto *temporary = dyn_cast<AllocaInst>(mark.getArgOperand(0)->stripPointerCasts());
  const auto *type = temporary ? dyn_cast<ArrayType>(temporary->getAllocatedType()) : nullptr;
  return type && type->getElementType()->isIntegerTy(8) ? temporary : nullptr;
}

// The type is that of the value stored just before.
Type *type_of_value(const AllocaInst &temporary) {
  for (const User *user : temporary.users())
    if (const auto *store = dyn_cast<StoreInst>(user);
        store && store->getPointerOperand() == &temporary)
      return store->getValueOperand()->getType();
  return nullptr;
}

void give_type(AllocaInst &temporary, Type &type) {
  auto *typed = new AllocaInst(&type, temporary.getAddressSpace(), nullptr, temporary.getAlign(),
                               "", temporary.getIterator());
  typed->takeName(&temporary);
  temporary.replaceAllUsesWith(typed);
  temporary.eraseFromParent();
}

// Constants of rustc are bytes with addresses between them.
void give_type_to_choices(CallInst &point, Type &type) {
  const auto *list = dyn_cast<GlobalVariable>(point.getArgOperand(kChoices)->stripPointerCasts());
  if (!list || !list->isConstant() || !list->hasDefinitiveInitializer())
    return;
  const DataLayout &layout = point.getDataLayout();
  const std::uint64_t size = layout.getTypeAllocSize(&type);
  SmallVector<Constant *> choices;
  for (unsigned i = 0; i < compiler::constant_number(point.getArgOperand(kCount)); ++i) {
    Constant *choice = ConstantFoldLoadFromConst(const_cast<Constant *>(list->getInitializer()),
                                                 &type, APInt(64, i * size), layout);
    if (!choice)
      return;
    choices.push_back(choice);
  }
  auto *array = ConstantArray::get(ArrayType::get(&type, choices.size()), choices);
  point.setArgOperand(kChoices,
                      new GlobalVariable(*point.getModule(), array->getType(), /*isConstant=*/true,
                                         GlobalValue::PrivateLinkage, array, "sartor.choices"));
}

// Gives a mark texts of its own, which disappear with it; rustc merges them with equal texts of
// other code.
void give_texts(CallInst &mark) {
  Module &module = *mark.getModule();
  for (unsigned i = 1; i < mark.arg_size(); ++i)
    if (mark.getArgOperand(i)->getType()->isPointerTy())
      if (const auto text = compiler::constant_string(mark.getArgOperand(i)); text && i != kChoices)
        mark.setArgOperand(i, make_string(module, *text));
}

// If the type is not known, the answer is false.
void ask_whether_constant(CallInst &mark, AllocaInst *temporary) {
  IRBuilder<> builder(&mark);
  llvm::Value *answer = builder.getInt32(0);
  if (temporary) {
    llvm::Value *value = builder.CreateLoad(temporary->getAllocatedType(), temporary);
    answer = builder.CreateZExt(
        builder.CreateIntrinsic(Intrinsic::is_constant, {value->getType()}, {value}),
        mark.getType());
  }
  mark.replaceAllUsesWith(answer);
  mark.eraseFromParent();
}

// True if there are marks whose temporaries are byte arrays without another type.
bool has_marks_of_bytes(Module &module) {
  return any_of(marks_of(module), [](const CallInst *mark) { return temporary_of_bytes(*mark); });
}

void adopt_marks(Module &module) {
  for (CallInst *mark : marks_of(module)) {
    const StringRef name = mark->getCalledFunction()->getName();
    give_texts(*mark);
    AllocaInst *const temporary = temporary_of_bytes(*mark);
    if (Type *type = temporary ? type_of_value(*temporary) : nullptr) {
      give_type(*temporary, *type);
      if (name == kPoint)
        give_type_to_choices(*mark, *type);
    }
    if (name == kIsConstant)
      ask_whether_constant(*mark,
                           dyn_cast<AllocaInst>(mark->getArgOperand(0)->stripPointerCasts()));
  }
}

} // namespace

PreservedAnalyses AdoptPass::run(Module &module, ModuleAnalysisManager &analyses) {
  if (!has_rows(module) && !has_marks_of_bytes(module))
    return PreservedAnalyses::all();
  adopt_rows(module);
  // Functions set marks, because Rust has no macros that know types; labels are constants in the
  // callers, so these functions are inlined.
  AlwaysInlinerPass().run(module, analyses);
  adopt_marks(module);
  return PreservedAnalyses::none();
}

} // namespace sartor::compiler
