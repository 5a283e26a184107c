// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants of constants and operations.
#include <utility>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include "compiler/mutants/mutant.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// A constant operand: an integer, or a vector of equal ones.
const APInt *number_in(const Use &use) {
  const APInt *number = nullptr;
  return PatternMatch::match(use.get(), PatternMatch::m_APInt(number)) ? number : nullptr;
}

Change set(Use &use, APInt number) {
  return [&use, number = std::move(number)] {
    cast<Instruction>(use.getUser())->dropPoisonGeneratingFlags();
    use.set(ConstantInt::get(use->getType(), number));
  };
}

Change replace(Instruction &place, std::function<llvm::Value *(IRBuilder<> &)> make) {
  return [&place, make = std::move(make)] {
    IRBuilder<> builder(&place);
    llvm::Value *made = make(builder);
    place.replaceAllUsesWith(made);
    place.eraseFromParent();
  };
}

// Calls `change` with a copy of the value, in place of which all users get its result.
Change replace_uses(Instruction &place,
                    std::function<llvm::Value *(IRBuilder<> &, llvm::Value *)> change) {
  return [&place, change = std::move(change)] {
    IRBuilder<> builder(place.getNextNode());
    llvm::Value *made = change(builder, &place);
    place.replaceUsesWithIf(made, [made](const Use &use) { return use.getUser() != made; });
  };
}

Change swap_operands(Instruction &place) {
  return [&place] {
    place.dropPoisonGeneratingFlags();
    llvm::Value *first = place.getOperand(0);
    place.setOperand(0, place.getOperand(1));
    place.setOperand(1, first);
  };
}

} // namespace

Change constant_off(Instruction &place, const Analyzed &) {
  const bool computes = isa<BinaryOperator>(place) && !place.isShift() && !place.isIntDivRem();
  if (!computes && !isa<ICmpInst, ReturnInst, StoreInst, PHINode, SelectInst>(place))
    return {};
  for (Use &use : place.operands())
    if (const APInt *number = number_in(use); number && number->getBitWidth() > 1) {
      // All edges from one block to a phi node provide the same value.
      if (const auto *phi = dyn_cast<PHINode>(&place);
          phi && count(phi->blocks(), phi->getIncomingBlock(use)) > 1)
        continue;
      return set(use, *number + 1);
    }
  return {};
}

Change sign_lost(Instruction &place, const Analyzed &) {
  llvm::Value *operand = place.getNumOperands() > 0 ? place.getOperand(0) : nullptr;
  Type *type = place.getType();
  if (isa<SExtInst>(place))
    return replace(place, [=](IRBuilder<> &builder) { return builder.CreateZExt(operand, type); });
  if (isa<SIToFPInst>(place))
    return replace(place,
                   [=](IRBuilder<> &builder) { return builder.CreateUIToFP(operand, type); });
  if (place.getOpcode() == Instruction::AShr)
    return replace(place, [&place](IRBuilder<> &builder) {
      return builder.CreateLShr(place.getOperand(0), place.getOperand(1));
    });
  return {};
}

// LLVM 19 does not know that operands have the same sign.
void forget_same_sign(auto &test) {
  if constexpr (requires { test.setSameSign(false); })
    test.setSameSign(false);
}

Change signedness(Instruction &place, const Analyzed &) {
  if (auto *test = dyn_cast<ICmpInst>(&place); test && test->isRelational())
    return [test] {
      test->setPredicate(test->getFlippedSignednessPredicate());
      forget_same_sign(*test);
    };
  auto *chosen = dyn_cast<MinMaxIntrinsic>(&place);
  if (!chosen)
    return {};
  return replace(place, [chosen](IRBuilder<> &builder) {
    return builder.CreateSelect(
        builder.CreateICmp(ICmpInst::getFlippedSignednessPredicate(chosen->getPredicate()),
                           chosen->getLHS(), chosen->getRHS()),
        chosen->getLHS(), chosen->getRHS());
  });
}

Change shift_off(Instruction &place, const Analyzed &) {
  if (!place.isShift())
    return {};
  Use &amount = place.getOperandUse(1);
  if (const APInt *number = number_in(amount))
    return set(amount, *number == number->getBitWidth() - 1 ? *number - 1 : *number + 1);
  return [&place, &amount] {
    place.dropPoisonGeneratingFlags();
    IRBuilder<> builder(&place);
    amount.set(builder.CreateXor(amount.get(), ConstantInt::get(amount->getType(), 1)));
  };
}

Change select_swapped(Instruction &place, const Analyzed &) {
  auto *select = dyn_cast<SelectInst>(&place);
  if (!select)
    return {};
  return [select] { select->swapValues(); };
}

Change trunc_narrow(Instruction &place, const Analyzed &) {
  const unsigned bits = place.getType()->getScalarSizeInBits();
  if (!isa<TruncInst>(place) || bits < 8)
    return {};
  return replace_uses(place, [bits](IRBuilder<> &builder, llvm::Value *value) {
    return builder.CreateAnd(
        value, ConstantInt::get(value->getType(), APInt::getLowBitsSet(bits, bits / 2)));
  });
}

Change mask_changed(Instruction &place, const Analyzed &) {
  if (!place.isBitwiseLogicOp())
    return {};
  Use &mask = place.getOperandUse(1);
  const APInt *number = number_in(mask);
  if (!number || number->isZero() || number->getBitWidth() == 1)
    return {};
  return set(mask, *number & (*number - 1));
}

Change float_reassociated(Instruction &place, const Analyzed &) {
  const unsigned operation = place.getOpcode();
  if (operation != Instruction::FAdd && operation != Instruction::FSub &&
      operation != Instruction::FMul)
    return {};
  for (Use &use : place.operands()) {
    // (a * b) + c becomes a * (b + c).
    const auto *product = dyn_cast<BinaryOperator>(use.get());
    llvm::Value *other = place.getOperand(1 - use.getOperandNo());
    if (operation == Instruction::FAdd && product && product->getOpcode() == Instruction::FMul)
      return replace(place, [product, other](IRBuilder<> &builder) {
        return builder.CreateFMul(product->getOperand(0),
                                  builder.CreateFAdd(product->getOperand(1), other));
      });
    const APFloat *number = nullptr;
    if (PatternMatch::match(use.get(), PatternMatch::m_APFloat(number)))
      return [&use, twice = *number + *number] { use.set(ConstantFP::get(use->getType(), twice)); };
  }
  return {};
}

Change lanes_swapped(Instruction &place, const Analyzed &analyzed) {
  if (!analyzed.has_vectors)
    return place.getOpcode() == Instruction::Sub ? swap_operands(place) : Change();
  auto *type = dyn_cast<FixedVectorType>(place.getType());
  if (!type || type->getNumElements() < 2 ||
      !isa<BinaryOperator, ShuffleVectorInst, LoadInst, CastInst>(place))
    return {};
  return replace_uses(place, [type](IRBuilder<> &builder, llvm::Value *value) {
    SmallVector<int> lanes;
    for (unsigned i = 0; i < type->getNumElements(); ++i)
      lanes.push_back(static_cast<int>(i));
    std::swap(lanes[0], lanes[1]);
    return builder.CreateShuffleVector(value, lanes);
  });
}

} // namespace sartor::compiler
