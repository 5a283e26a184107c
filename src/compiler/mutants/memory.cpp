// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants of accesses to memory.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/mutants/mutant.h"

namespace sartor::compiler {

using namespace llvm;

Change store_dropped(Instruction &place, const Analyzed &) {
  auto *store = dyn_cast<StoreInst>(&place);
  if (!store || !store->isSimple())
    return {};
  return [store] { store->eraseFromParent(); };
}

Change stale_load(Instruction &place, const Analyzed &analyzed) {
  auto *load = dyn_cast<LoadInst>(&place);
  if (!load || !load->isSimple())
    return {};
  for (Instruction *before = load->getPrevNode(); before && !isa<PHINode>(before);
       before = before->getPrevNode()) {
    if (before == load->getPointerOperand())
      return {};
    if (isModSet(analyzed.aliases.getModRefInfo(before, MemoryLocation::get(load))))
      return [load, before] {
        load->dropUnknownNonDebugMetadata();
        load->moveBefore(*before->getParent(), before->getIterator());
      };
  }
  return {};
}

// The memory reads as zero, which is the same each time.
Change escaped_local(Instruction &place, const Analyzed &) {
  auto *store = dyn_cast<StoreInst>(&place);
  if (!store || !store->isSimple() ||
      !isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand())))
    return {};
  llvm::Value *stored = store->getValueOperand();
  if (const auto *constant = dyn_cast<Constant>(stored); constant && constant->isNullValue())
    return {};
  return [store, stored] { store->setOperand(0, Constant::getNullValue(stored->getType())); };
}

Change null_load(Instruction &place, const Analyzed &) {
  if (&place != &*place.getParent()->getFirstNonPHIIt() || place.isEHPad())
    return {};
  return [&place] {
    IRBuilder<> builder(&place);
    builder.CreateLoad(builder.getInt8Ty(), ConstantPointerNull::get(builder.getPtrTy()),
                       /*isVolatile=*/true);
  };
}

Change memcpy_short(Instruction &place, const Analyzed &) {
  auto *copy = dyn_cast<MemIntrinsic>(&place);
  if (!copy)
    return {};
  llvm::Value *length = copy->getLength();
  if (const auto *known = dyn_cast<ConstantInt>(length); known && known->isZero())
    return {};
  return [copy, length] {
    IRBuilder<> builder(copy);
    copy->setLength(builder.CreateBinaryIntrinsic(Intrinsic::usub_sat, length,
                                                  ConstantInt::get(length->getType(), 1)));
  };
}

} // namespace sartor::compiler
