// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/analysis/purity.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/inlined_copy.h"
#include "compiler/frontend/marks/marks.h"
#include "core/space/readable_name.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// The plugin's prefix of functions that return the address of a thread-local variable.
constexpr const char *kThreadLocalAccessor = "sartor.tls.";

// No other function sees a function's own stack.
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

// True if the function's body is not visible, or is not the one that runs.
bool is_out_of_sight(const Function &function) {
  return function.isDeclaration() || !native_only_reason(function).empty();
}

class Inspection {
public:
  explicit Inspection(Function &function) { reached_.insert(&function); }

  Purity run() {
    for (unsigned i = 0; i < reached_.size() && purity_.side_effect.empty(); ++i)
      for (Instruction &instruction : instructions(*reached_[i]))
        look_at(instruction);
    if (catches_)
      has(leaving_);
    return purity_;
  }

private:
  void look_at(Instruction &instruction) {
    const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
    if (as_point(instruction) || as_const_assertion(instruction) || as_one_of(instruction) ||
        (intrinsic && intrinsic->isAssumeLikeIntrinsic()))
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
    else if (const auto *pad = dyn_cast<LandingPadInst>(&instruction))
      catches_ |= pad->getNumClauses() > 0;
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
    if (call.doesNotReturn() && leaving_.empty())
      leaving_ = "calls " + (callee ? core::readable_name(callee->getName().str()) : "") + "()";
    if (call.doesNotReturn())
      return;
    if (!callee)
      has("calls through a pointer");
    else if (callee->isIntrinsic() ? call.mayHaveSideEffects() : is_out_of_sight(*callee))
      has("calls " + core::readable_name(callee->getName().str()) + "()");
    else if (!callee->isIntrinsic())
      reached_.insert(callee);
  }

  void has(std::string effect) {
    if (purity_.side_effect.empty())
      purity_.side_effect = std::move(effect);
  }

  // A call that does not return (a panic, an exit) yields no result to cache, so it counts as an
  // effect only if exceptions are caught.
  std::string leaving_;
  bool catches_ = false;
  SetVector<Function *> reached_;
  Purity purity_;
};

// Functions of the C library that are declared to read no memory, and have another result in each
// thread.
constexpr StringRef kOfThread[] = {"pthread_self", "__errno_location"};

// Segments that x86 addresses relative to the thread pointer.
constexpr unsigned kSegmentGs = 256;
constexpr unsigned kSegmentFs = 257;

bool is_in_thread_segment(const llvm::Value *address) {
  return address && address->getType()->isPointerTy() &&
         is_contained({kSegmentGs, kSegmentFs}, address->getType()->getPointerAddressSpace());
}

bool touches_thread_local(const Instruction &instruction) {
  if (is_in_thread_segment(getLoadStorePointerOperand(&instruction)))
    return true;
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call)
    return false;
  if (const auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
    return StringRef(assembly->getAsmString()).contains("fs:") ||
           StringRef(assembly->getAsmString()).contains("gs:");
  const Function *callee = call->getCalledFunction();
  return callee && (callee->getIntrinsicID() == Intrinsic::threadlocal_address ||
                    callee->getIntrinsicID() == Intrinsic::thread_pointer ||
                    is_contained(kOfThread, callee->getName()) ||
                    callee->getName().starts_with(kThreadLocalAccessor));
}

bool touches_thread_local(Function &function) {
  return any_of(called_functions(function), [](Function *reached) {
    return any_of(instructions(*reached),
                  [](const Instruction &instruction) { return touches_thread_local(instruction); });
  });
}

// Uses LLVM's inferred attributes, otherwise inspects the code.
Purity look_at(Function &function) {
  if (function.onlyReadsMemory())
    return {"", !function.doesNotAccessMemory()};
  return Inspection(function).run();
}

} // namespace

Purity purity_of(Function &function) {
  if (touches_thread_local(function))
    return {"uses thread-local variables or the thread itself, so that its answer is one thread's "
            "alone",
            true};
  Purity as_written = look_at(function);
  if (as_written.side_effect.empty())
    return as_written;
  Purity inlined = look_at(InlinedCopy(function).function());
  // The original code names the obstacle.
  return inlined.side_effect.empty() ? inlined : as_written;
}

} // namespace sartor::compiler
