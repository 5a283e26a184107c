// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/declared/point_mark.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include "compiler/plugin/sections.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

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

} // namespace

void put_mark(IRBuilderBase &builder, AllocaInst &temporary, const DeclaredTable::Point &point) {
  Module &module = *temporary.getModule();
  auto *pointer = builder.getPtrTy();
  auto *number = builder.getInt32Ty();
  const FunctionCallee mark = module.getOrInsertFunction(
      "sartor_point_", FunctionType::get(builder.getVoidTy(),
                                         {pointer, pointer, number, number, number, pointer, number,
                                          pointer, number},
                                         /*isVarArg=*/false));
  builder.CreateCall(
      mark, {&temporary, make_string(module, point.label), builder.getInt32(point.kind),
             builder.getInt32(point.is_signed ? 1 : 0), builder.getInt32(point.is_bool ? 1 : 0),
             choices_of(module, point, temporary.getAllocatedType()),
             builder.getInt32(static_cast<unsigned>(point.choices.size())),
             make_string(module, point.place.file), builder.getInt32(point.place.line)});
}

} // namespace sartor::compiler
