// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/follow/trail.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>

#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/prepare.h"
#include "compiler/specialize/blocks.h"
#include "compiler/specialize/fold/identity.h"
#include "compiler/specialize/fold/which_member.h"
#include "compiler/specialize/one_of.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Limit on the size of a block behind a loop, which is copied for each exit of the loop, because
// the loop's last values are still known there.
constexpr unsigned kLargestExit = 40;

bool can_be_followed(const PHINode &phi) {
  return phi.getType()->isPointerTy() ||
         (phi.getType()->isIntegerTy() && phi.getType()->getIntegerBitWidth() <= 64);
}

// True for a condition converted to a number, which is a choice between two constants.
bool is_condition_as_number(const Instruction &instruction) {
  return isa<ZExtInst, SExtInst>(instruction) &&
         instruction.getOperand(0)->getType()->isIntegerTy(1);
}

bool is_from_inside(const PHINode &phi, unsigned i, const Loop &loop) {
  return loop.contains(phi.getIncomingBlock(i));
}

bool calls_fold_function(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  return call && call->getCalledFunction() &&
         call->getCalledFunction()->hasFnAttribute(compiler::kFoldAttribute);
}

} // namespace

Trail::Trail(Function &function, const Evaluator &evaluator,
             const SmallPtrSetImpl<PHINode *> &given_up)
    : function_(function), evaluator_(evaluator), given_up_(given_up), dominators_(function),
      loops_(dominators_) {
  if (loops_.empty())
    return;
  hot_ = likely_blocks(function);
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function)) {
    order_.push_back(block);
    if (comes_back(*block))
      hot_.insert(block);
  }
  for (BasicBlock *block : order_)
    if (is_hot(block))
      for (PHINode &phi : block->phis())
        if ((loops_.getLoopFor(block) || fork_of(phi)) && can_be_followed(phi) &&
            !given_up.contains(&phi)) {
          candidates_.insert(&phi);
          has_forks_ = has_forks_ || fork_of(phi);
        }
  find_plausible_pointers();
  find_computable();
  find_steady();
  choose();
  if (!phis_.empty())
    find_where_it_matters();
}

// True for a rare block from which control returns into a loop: without following the block, the
// loop would continue in its generic form.
bool Trail::comes_back(const BasicBlock &block) const {
  for (const Loop *loop = loops_.getLoopFor(&block); loop; loop = loop->getParentLoop())
    if (is_hot(loop->getHeader()))
      return true;
  return false;
}

bool Trail::is_plausible(const llvm::Value &pointer) const {
  if (const Constant *constant = evaluator_.always(const_cast<llvm::Value &>(pointer))) {
    const auto *variable = dyn_cast<GlobalVariable>(getUnderlyingObject(constant));
    if (variable && variable->isConstant() && variable->hasDefinitiveInitializer())
      return true;
    auto address = evaluator_.regions().address_of(*constant);
    return address && evaluator_.regions().any_near(*address);
  }
  return plausible_.contains(&pointer);
}

// Finds pointers that come from invariant memory, judging by how they are computed.
void Trail::find_plausible_pointers() {
  auto comes_from_one = [&](Instruction &instruction) {
    if (calls_fold_function(instruction) || isa<IntToPtrInst>(instruction) ||
        compiler::as_one_of(instruction))
      return true;
    if (const llvm::Value *known = written_of(instruction))
      return is_plausible(*known);
    if (isa<LoadInst, GetElementPtrInst, FreezeInst, AddrSpaceCastInst>(instruction))
      return is_plausible(*instruction.getOperand(0));
    return isa<PHINode, SelectInst>(instruction) &&
           any_of(instruction.operands(), [&](const Use &operand) {
             return operand->getType()->isPointerTy() && is_plausible(*operand);
           });
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (BasicBlock *block : order_)
      for (Instruction &instruction : *block)
        if (instruction.getType()->isPointerTy() && !plausible_.contains(&instruction) &&
            comes_from_one(instruction))
          changed = plausible_.insert(&instruction).second;
  }
}

bool Trail::may_compute(llvm::Value &value) const {
  return (isa<Constant>(value) && !isa<UndefValue>(value)) || computable_.contains(&value);
}

bool Trail::may_compute_from_operands(Instruction &instruction) const {
  if (evaluator_.always(instruction))
    return true;
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple() && !evaluator_.always(*load->getPointerOperand()) &&
           may_compute(*load->getPointerOperand()) && is_plausible(*load->getPointerOperand());
  if (auto *select = dyn_cast<SelectInst>(&instruction)) {
    const unsigned arms = (may_compute(*select->getTrueValue()) ? 1U : 0U) +
                          (may_compute(*select->getFalseValue()) ? 1U : 0U);
    return arms == 2 || (arms == 1 && may_compute(*select->getCondition()));
  }
  if (auto *phi = dyn_cast<PHINode>(&instruction))
    return candidates_.contains(phi) ||
           (phi->getNumIncomingValues() == 1 && may_compute(*phi->getIncomingValue(0)));
  if (is_condition_as_number(instruction))
    return true;
  if (CallInst *mark = compiler::as_one_of(instruction))
    return may_compute(*compiler::watched_value(*mark));
  if (llvm::Value *known = written_of(instruction))
    return may_compute(*known);
  if (CallInst *question = as_which_member(instruction))
    return may_compute(asked_of(*question));
  if (auto *call = dyn_cast<CallBase>(&instruction))
    return Evaluator::can_compute(*call) &&
           all_of(call->args(), [&](const Use &use) { return may_compute(*use); });
  return isa<UnaryOperator, BinaryOperator, CastInst, CmpInst, GetElementPtrInst, ExtractValueInst,
             InsertValueInst, FreezeInst>(instruction) &&
         all_of(instruction.operands(), [&](const Use &use) { return may_compute(*use); });
}

bool Trail::may_keep(PHINode &phi) const {
  if (fork_of(phi))
    return true;
  const Loop *loop = loops_.getLoopFor(phi.getParent());
  const bool is_header = loop->getHeader() == phi.getParent();
  bool from_outside = !is_header;
  bool from_inside = false;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
    if (may_compute(*phi.getIncomingValue(i)))
      (!is_header || is_from_inside(phi, i, *loop) ? from_inside : from_outside) = true;
  return from_outside && from_inside;
}

// Finds the largest set of phi nodes and values of which each may be computed from the others.
void Trail::find_computable() {
  bool changed = true;
  while (changed) {
    changed = false;
    computable_.clear();
    computable_.insert(candidates_.begin(), candidates_.end());
    for (BasicBlock *block : order_)
      for (Instruction &instruction : *block)
        if (may_compute_from_operands(instruction))
          computable_.insert(&instruction);
    changed = candidates_.remove_if([&](PHINode *phi) { return !may_keep(*phi); });
  }
}

bool Trail::is_steady(llvm::Value &value) const {
  return (isa<Constant>(value) && !isa<UndefValue>(value)) || steady_.contains(&value);
}

// Finds the computable values that can be computed on all paths.
void Trail::find_steady() {
  steady_ = computable_;
  bool changed = true;
  while (changed) {
    changed = false;
    for (BasicBlock *block : order_)
      for (Instruction &instruction : *block) {
        const auto *phi = dyn_cast<PHINode>(&instruction);
        if (!steady_.contains(&instruction) || evaluator_.always(instruction) ||
            (phi && fork_of(*phi)))
          continue;
        if (any_of(instruction.operands(),
                   [&](const Use &use) { return !isa<BasicBlock>(use) && !is_steady(*use); })) {
          steady_.erase(&instruction);
          changed = true;
        }
      }
  }
}

// True if the value may be one of a few if a single unknown value is.
bool Trail::may_have_few_values(const Instruction &instruction) const {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return is_plausible(*load->getPointerOperand());
  return isa<BinaryOperator, CastInst, GetElementPtrInst, FreezeInst>(instruction);
}

// Adds the candidates that `value`, used in block `user`, is computed from.
void Trail::add_feeders(llvm::Value &value, const BasicBlock &user, Through what) {
  SmallVector<llvm::Value *> work{&value};
  SmallPtrSet<llvm::Value *, 16> seen;
  while (!work.empty()) {
    auto *instruction = dyn_cast<Instruction>(work.pop_back_val());
    if (!instruction || !seen.insert(instruction).second ||
        !(computable_.contains(instruction) ||
          (what == Through::tables && may_have_few_values(*instruction))) ||
        evaluator_.always(*instruction))
      continue;
    if (auto *phi = dyn_cast<PHINode>(instruction)) {
      if (candidates_.contains(phi)) {
        const Loop *loop = loops_.getLoopFor(phi->getParent());
        if ((loop && !loop->contains(&user)) || (what == Through::steady && !steady_.contains(phi)))
          continue;
        phis_.insert(phi);
      }
    }
    for (const Use &operand : instruction->operands())
      work.push_back(operand);
  }
}

void Trail::choose() {
  for (BasicBlock *block : order_) {
    if (!loops_.getLoopFor(block) || !is_hot(block))
      continue;
    for (Instruction &instruction : *block) {
      // If part of the value is unknown, a table may still limit it to few values.
      if (CallInst *mark = compiler::as_one_of(instruction); mark && !evaluator_.always(*mark))
        add_feeders(*compiler::watched_value(*mark), *block, Through::tables);
      if (!computable_.contains(&instruction) || evaluator_.always(instruction))
        continue;
      if (auto *load = dyn_cast<LoadInst>(&instruction))
        add_feeders(*load->getPointerOperand(), *block, Through::computable);
      else if (CallInst *question = as_which_member(instruction))
        add_feeders(asked_of(*question), *block, Through::computable);
      else if (calls_fold_function(instruction))
        for (const Use &argument : cast<CallBase>(instruction).args())
          add_feeders(*argument, *block, Through::computable);
    }
  }
  for (PHINode *phi : phis_)
    if (const Loop *loop = loops_.getLoopFor(phi->getParent());
        loop && (loop->getHeader() == phi->getParent() || fork_of(*phi)))
      followed_.insert(loop);
  for (BasicBlock *block : order_)
    if (followed_.contains(loops_.getLoopFor(block)) && is_hot(block)) {
      Instruction *end = block->getTerminator();
      if (end->getNumSuccessors() > 1 && !isa<InvokeInst>(end))
        add_feeders(*end->getOperand(0), *block, Through::steady);
    }
  phis_.remove_if([&](PHINode *phi) {
    const Loop *loop = loops_.getLoopFor(phi->getParent());
    return loop && !followed_.contains(loop);
  });
}

bool Trail::is_in_scope(const PHINode *phi, BasicBlock *block) const {
  const Loop *loop = loops_.getLoopFor(phi->getParent());
  // Saved values are stored on the way out of an inner loop, and loaded in the outer one.
  if (has_forks_)
    while (loop && loop->getParentLoop() && followed_.contains(loop->getParentLoop()))
      loop = loop->getParentLoop();
  if (!loop || loop->contains(block))
    return true;
  return block->size() <= kLargestExit && is_hot(block) && !loops_.isLoopHeader(block) &&
         any_of(predecessors(block), [&](BasicBlock *before) { return loop->contains(before); });
}

SmallBitVector Trail::roots_of(llvm::Value &value) const {
  auto found = roots_.find(&value);
  return found == roots_.end() ? SmallBitVector(count()) : found->second;
}

void Trail::find_where_it_matters() {
  for (unsigned i = 0; i < count(); ++i) {
    roots_[phis_[i]] = SmallBitVector(count());
    roots_[phis_[i]].set(i);
  }
  DenseMap<BasicBlock *, SmallBitVector> used;
  DenseMap<BasicBlock *, SmallBitVector> scope;
  DenseMap<BasicBlock *, SmallBitVector> defined;
  for (BasicBlock *block : order_) {
    SmallBitVector &uses = used[block];
    uses.resize(count());
    defined[block].resize(count());
    scope[block].resize(count());
    for (unsigned i = 0; i < count(); ++i) {
      if (phis_[i]->getParent() == block)
        defined[block].set(i);
      if (is_in_scope(phis_[i], block))
        scope[block].set(i);
    }
    for (Instruction &instruction : *block) {
      if (roots_.contains(&instruction) || evaluator_.always(instruction))
        continue;
      if (isa<PHINode>(instruction) && instruction.getNumOperands() > 1)
        continue;
      SmallBitVector roots(count());
      for (const Use &operand : instruction.operands())
        roots |= roots_of(*operand);
      if (!isa<PHINode>(instruction))
        uses |= roots;
      if (computable_.contains(&instruction))
        roots_[&instruction] = std::move(roots);
    }
  }
  for (BasicBlock *block : order_)
    for (PHINode &phi : block->phis())
      for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
        if (dominators_.isReachableFromEntry(phi.getIncomingBlock(i)))
          used[phi.getIncomingBlock(i)] |= roots_of(*phi.getIncomingValue(i));
  bool changed = true;
  while (changed) {
    changed = false;
    for (BasicBlock *block : reverse(order_)) {
      SmallBitVector matter = used[block];
      for (BasicBlock *next : successors(block)) {
        SmallBitVector after = mattering_.lookup(next);
        after.resize(count());
        after.reset(defined[next]);
        matter |= after;
      }
      matter &= scope[block];
      SmallBitVector &known = mattering_[block];
      if (known != matter) {
        known = std::move(matter);
        changed = true;
      }
    }
  }
}

std::vector<Instruction *> Trail::forks() const {
  std::vector<Instruction *> found;
  SmallVector<llvm::Value *> work(phis_.begin(), phis_.end());
  SmallPtrSet<llvm::Value *, 16> seen;
  while (!work.empty()) {
    auto *instruction = dyn_cast<Instruction>(work.pop_back_val());
    if (!instruction || !seen.insert(instruction).second || !computable_.contains(instruction) ||
        evaluator_.always(*instruction))
      continue;
    auto *select = dyn_cast<SelectInst>(instruction);
    const bool is_choice =
        (select && select->getCondition()->getType()->isIntegerTy(1) &&
         may_compute(*select->getTrueValue()) && may_compute(*select->getFalseValue())) ||
        is_condition_as_number(*instruction);
    if (is_choice && !is_steady(*instruction->getOperand(0)) && is_hot(instruction->getParent()) &&
        any_of(followed_, [&](const Loop *loop) { return loop->contains(instruction); }))
      found.push_back(instruction);
    for (const Use &operand : instruction->operands())
      work.push_back(operand);
  }
  return found;
}

} // namespace sartor::compiler
