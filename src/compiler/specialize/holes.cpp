// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/holes.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/ReplaceConstant.h>

#include "core/request/context.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// The assembly has no side effects, so that it is removed where it is unused.
CallInst *move_address(Function &function, GlobalVariable &symbol) {
  IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  auto *type = FunctionType::get(builder.getInt64Ty(), {symbol.getType()}, false);
  auto *move = InlineAsm::get(type, "movabsq $1, $0", "=r,i", /*hasSideEffects=*/false);
  CallInst *call = builder.CreateCall(move, {&symbol});
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

void open(GlobalVariable &symbol) {
  convertUsersOfConstantsToInstructions({&symbol});
  DenseMap<Function *, CallInst *> moves;
  for (User *user : make_early_inc_range(symbol.users())) {
    auto *number = dyn_cast<PtrToIntInst>(user);
    if (!number)
      continue;
    CallInst *&move = moves[number->getFunction()];
    if (!move)
      move = move_address(*number->getFunction(), symbol);
    number->replaceAllUsesWith(IRBuilder<>(number).CreateTrunc(move, number->getType()));
    number->eraseFromParent();
  }
}

} // namespace

Constant *hole_of(const std::string &label, Type &type, Module &module) {
  LLVMContext &context = module.getContext();
  const std::string name = core::hole_symbol(label);
  GlobalVariable *symbol = module.getGlobalVariable(name);
  if (!symbol) {
    symbol = new GlobalVariable(module, Type::getInt8Ty(context), /*isConstant=*/false,
                                GlobalValue::ExternalLinkage, nullptr, name);
    // The symbol's address may be any number, including zero.
    auto *any = ConstantAsMetadata::get(ConstantInt::getAllOnesValue(Type::getInt64Ty(context)));
    symbol->setMetadata(LLVMContext::MD_absolute_symbol, MDNode::get(context, {any, any}));
  }
  Constant *number = ConstantExpr::getPtrToInt(symbol, Type::getInt64Ty(context));
  const unsigned bits = type.getScalarSizeInBits();
  if (bits < 64)
    number = ConstantExpr::getTrunc(number, Type::getIntNTy(context, bits));
  return type.isFloatingPointTy() ? ConstantExpr::getBitCast(number, &type) : number;
}

void open_holes(Module &module) {
  for (GlobalVariable &variable : module.globals())
    if (variable.getName().starts_with(core::hole_symbol("")))
      open(variable);
}

} // namespace sartor::compiler
