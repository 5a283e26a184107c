// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/purity.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "point/marks.h"
#include "point/readable_name.h"

namespace sartor::point {

using namespace llvm;

namespace {

// A function's own stack is nobody else's business.
bool is_own_memory(const llvm::Value &pointer) {
  return isa<AllocaInst>(getUnderlyingObject(&pointer, /*MaxLookup=*/0));
}

bool is_constant_memory(const llvm::Value &pointer) {
  const auto *variable = dyn_cast<GlobalVariable>(getUnderlyingObject(&pointer, /*MaxLookup=*/0));
  return variable && variable->isConstant();
}

bool writes_own_memory_only(const MemIntrinsic &intrinsic) {
  return !intrinsic.isVolatile() && is_own_memory(*intrinsic.getRawDest());
}

class Inspection {
public:
  explicit Inspection(Function &function) { reached_.insert(&function); }

  Purity run() {
    for (unsigned i = 0; i < reached_.size() && purity_.side_effect.empty(); ++i)
      for (Instruction &instruction : instructions(*reached_[i]))
        look_at(instruction);
    return purity_;
  }

private:
  void look_at(Instruction &instruction) {
    if (as_point(instruction) || as_const_assertion(instruction) ||
        instruction.isLifetimeStartOrEnd())
      return;
    if (instruction.isVolatile() || instruction.isAtomic())
      has("accesses memory that other threads or devices change");
    else if (auto *store = dyn_cast<StoreInst>(&instruction))
      is_own_memory(*store->getPointerOperand()) ? void() : has("stores to memory");
    else if (auto *load = dyn_cast<LoadInst>(&instruction))
      purity_.reads_memory |= !is_own_memory(*load->getPointerOperand()) &&
                              !is_constant_memory(*load->getPointerOperand());
    else if (auto *call = dyn_cast<CallBase>(&instruction))
      look_at_call(*call);
    else if (instruction.mayHaveSideEffects() && !isa<ResumeInst>(instruction))
      has("has an effect on memory");
  }

  void look_at_call(CallBase &call) {
    if (const auto *memory = dyn_cast<MemIntrinsic>(&call)) {
      if (!writes_own_memory_only(*memory))
        has("stores to memory");
      purity_.reads_memory |= isa<MemTransferInst>(memory);
      return;
    }
    if (call.onlyReadsMemory()) {
      purity_.reads_memory |= !call.doesNotAccessMemory();
      return;
    }
    Function *callee = call.getCalledFunction();
    if (!callee)
      has("calls through a pointer");
    else if (callee->isIntrinsic() ? call.mayHaveSideEffects() : callee->isDeclaration())
      has("calls " + readable_name(callee->getName().str()) + "()");
    else if (!callee->isIntrinsic())
      reached_.insert(callee);
  }

  void has(std::string effect) {
    if (purity_.side_effect.empty())
      purity_.side_effect = std::move(effect);
  }

  SetVector<Function *> reached_;
  Purity purity_;
};

} // namespace

Purity purity_of(Function &function) {
  if (function.onlyReadsMemory())
    return {"", !function.doesNotAccessMemory()};
  return Inspection(function).run();
}

} // namespace sartor::point
