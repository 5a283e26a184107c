// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/fold/keep_loads.h"

#include <iterator>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/frontend/copy_function.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/prepare.h"
#include "compiler/specialize/follow/certain_blocks.h"
#include "compiler/specialize/guard.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Marks the accesses that Sartor has made volatile.
constexpr const char *kKept = "sartor.kept";

void set_volatile(Instruction &instruction, bool is_volatile) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    load->setVolatile(is_volatile);
  else if (auto *transfer = dyn_cast<MemTransferInst>(&instruction))
    transfer->setVolatile(ConstantInt::getBool(instruction.getContext(), is_volatile));
}

// Makes an access volatile until release(): volatile accesses are neither folded nor merged with
// others that may be.
void keep_from_folding(Instruction &instruction) {
  if (!isa<LoadInst>(instruction) && !isa<MemTransferInst>(instruction))
    return;
  instruction.setMetadata(kMayFold, nullptr);
  if (instruction.isVolatile())
    return;
  set_volatile(instruction, true);
  instruction.setMetadata(kKept, MDNode::get(instruction.getContext(), {}));
}

// True for loads that allow the memory to change at any time, without ordering other accesses.
bool may_see_changes(const Instruction &instruction) {
  const auto *load = dyn_cast<LoadInst>(&instruction);
  return load && (load->isVolatile() || load->isAtomic()) &&
         !isStrongerThanMonotonic(load->getOrdering());
}

// Returns the instructions from each beginning to the ends that can be reached from it.
SmallVector<Instruction *> within_blocking(Function &function) {
  SmallVector<Instruction *> found;
  SmallVector<BasicBlock::iterator> work;
  for (CallInst *begin : compiler::blocking_begins_of(function))
    work.push_back(std::next(begin->getIterator()));
  SmallPtrSet<BasicBlock *, 16> entered;
  while (!work.empty()) {
    BasicBlock::iterator each = work.pop_back_val();
    BasicBlock *block = each->getParent();
    while (each != block->end() && !compiler::is_blocking_end(*each))
      found.push_back(&*each++);
    if (each == block->end())
      for (BasicBlock *next : successors(block))
        if (entered.insert(next).second)
          work.push_back(next->begin());
  }
  return found;
}

} // namespace

KeptLoads::KeptLoads(Function &handler) : handler_(handler) {
  SmallVector<Function *> work{&handler};
  copies_.insert({&handler, nullptr});
  while (!work.empty())
    for (Instruction &instruction : instructions(*work.pop_back_val()))
      for (const Use &operand : instruction.operands())
        if (auto *function = dyn_cast<Function>(operand);
            function && !function->isDeclaration() && copies_.insert({function, nullptr}).second)
          work.push_back(function);
  for (auto &[function, copy] : copies_) {
    copy = compiler::copy_function(*function);
    copy->setName(function->getName() + ".kept");
    copy->setLinkage(GlobalValue::InternalLinkage);
    compiler::forget_handler(*copy);
    copy->removeFnAttr(compiler::kFoldAttribute);
    copy->removeFnAttr(Attribute::FnRetThunkExtern); // no stub is between it and its caller
  }
}

bool KeptLoads::is_copy(const Function &function) const {
  return any_of(copies_, [&](const auto &each) { return each.second == &function; });
}

void KeptLoads::keep(Instruction &instruction) {
  keep_from_folding(instruction);
  for (Use &operand : instruction.operands())
    if (auto *function = dyn_cast<Function>(operand))
      if (Function *copy = copies_.lookup(function))
        operand.set(copy);
}

void mark_volatile_loads(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (may_see_changes(instruction))
        instruction.setMetadata(kMayFold, MDNode::get(instruction.getContext(), {}));
}

void erase_load_marks(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      instruction.setMetadata(kMayFold, nullptr);
      instruction.setMetadata(kSideExitMark, nullptr);
      instruction.setMetadata(kGuardMark, nullptr);
    }
}

void know_load_marks(LLVMContext &context) {
  // The last two are LLVM's.
  for (const char *mark : {kMayFold, kSideExitMark, kKept, kGuardMark, "PGOFuncName", "srcloc"})
    context.getMDKindID(mark);
}

void KeptLoads::keep() {
  for (Instruction &instruction : instructions(handler_))
    if (instruction.hasMetadata(kSideExitMark))
      keep(instruction);
  for (Instruction *instruction : within_blocking(handler_))
    keep(*instruction);
  for (const auto &[function, copy] : copies_)
    for (Instruction &instruction : instructions(*copy))
      keep(instruction);
}

void KeptLoads::release() {
  for (Function &function : *handler_.getParent())
    for (Instruction &instruction : instructions(function))
      if (instruction.hasMetadata(kKept)) {
        set_volatile(instruction, false);
        instruction.setMetadata(kKept, nullptr);
      }
}

} // namespace sartor::compiler
