// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/copies.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

// Removes the entries of copied phi nodes for blocks that were not copied.
void drop_foreign_edges(BasicBlock &copy, const SmallPtrSetImpl<BasicBlock *> &copied) {
  for (PHINode &phi : copy.phis())
    for (unsigned i = phi.getNumIncomingValues(); i-- > 0;)
      if (!copied.contains(phi.getIncomingBlock(i)))
        phi.removeIncomingValue(i, /*DeletePHIIfEmpty=*/false);
}

// Adds an entry to the phi nodes outside of the copied blocks for each edge on which a copy leaves
// them.
void add_leaving_edges(BasicBlock &block, const ValueToValueMapTy &map,
                       const SmallPtrSetImpl<BasicBlock *> &region) {
  auto *copy = cast<BasicBlock>(map.lookup(&block));
  for (BasicBlock *successor : successors(&block)) {
    if (region.contains(successor))
      continue;
    for (PHINode &phi : successor->phis()) {
      llvm::Value *value = phi.getIncomingValueForBlock(&block);
      llvm::Value *copied = map.lookup(value);
      phi.addIncoming(copied ? copied : value, copy);
    }
  }
}

// Lifetime markers need the address of one alloca; a pointer that may come from either copy is
// none. Markers of poison have no effect.
void drop_lifetimes_of_copied_allocas(BasicBlock &copy) {
  for (Instruction &instruction : make_early_inc_range(copy)) {
    if (!instruction.isLifetimeStartOrEnd())
      continue;
    const auto *slot = dyn_cast<Instruction>(cast<CallBase>(instruction).getArgOperand(0));
    if (!slot || slot->getParent() != &copy.getParent()->getEntryBlock())
      instruction.eraseFromParent();
  }
}

} // namespace

void Copies::clone(ArrayRef<BasicBlock *> blocks, const char *suffix, ValueToValueMapTy &map) {
  // Each copy needs noalias scopes of its own: one execution of a scope's declaration must not
  // cover accesses of another copy.
  SmallVector<MDNode *> scopes;
  identifyNoAliasScopesToClone(blocks, scopes);

  const SmallPtrSet<BasicBlock *, 32> region(blocks.begin(), blocks.end());
  SmallVector<BasicBlock *> made;
  SmallPtrSet<BasicBlock *, 32> copied;
  for (BasicBlock *block : blocks) {
    BasicBlock *copy = CloneBasicBlock(block, map, suffix, &function_);
    map[block] = copy;
    originals_[copy] = original(block);
    made.push_back(copy);
    copied.insert(copy);
  }
  remapInstructionsInBlocks(made, map);
  cloneAndAdaptNoAliasScopes(scopes, made, function_.getContext(), suffix);
  for (BasicBlock *copy : made) {
    drop_foreign_edges(*copy, copied);
    drop_lifetimes_of_copied_allocas(*copy);
  }
  for (BasicBlock *block : blocks) {
    add_leaving_edges(*block, map, region);
    for (Instruction &instruction : *block)
      if (auto *copy = cast_or_null<Instruction>(map.lookup(&instruction)))
        enlist(instruction, *copy);
  }
}

BasicBlock *Copies::clone_alone(BasicBlock &block, const char *suffix, ValueToValueMapTy &map) {
  BasicBlock *copy = CloneBasicBlock(&block, map, suffix, &function_);
  adopt(copy, &block);
  for (PHINode &phi : copy->phis())
    while (phi.getNumIncomingValues() > 0)
      phi.removeIncomingValue(phi.getNumIncomingValues() - 1, /*DeletePHIIfEmpty=*/false);
  remapInstructionsInBlocks({copy}, map);
  for (Instruction &instruction : block)
    if (auto *copied = cast_or_null<Instruction>(map.lookup(&instruction)))
      enlist(instruction, *copied);
  drop_lifetimes_of_copied_allocas(*copy);
  return copy;
}

void Copies::enlist(Instruction &instruction, Instruction &copy) {
  if (instruction.getType()->isVoidTy())
    return;
  Instruction *root = roots_.lookup(&instruction);
  root = root ? root : &instruction;
  roots_[&copy] = root;
  families_[root].push_back(&copy);
}

BasicBlock *Copies::original(BasicBlock *block) const {
  auto found = originals_.find(block);
  return found == originals_.end() ? block : found->second;
}

void Copies::repair() {
  SmallVector<Use *> uses;
  for (auto &[root, copies] : families_) {
    copies.push_back(root);
    SSAUpdater updater;
    updater.Initialize(root->getType(), root->getName());
    uses.clear();
    for (Instruction *member : copies) {
      updater.AddAvailableValue(member->getParent(), member);
      for (Use &use : member->uses()) {
        auto *user = cast<Instruction>(use.getUser());
        if (isa<PHINode>(user) || user->getParent() != member->getParent())
          uses.push_back(&use);
      }
    }
    for (Use *use : uses)
      updater.RewriteUse(*use);
  }
}

} // namespace sartor::compiler
