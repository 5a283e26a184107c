// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/fold/inline_choice.h"

#include <utility>

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/target.h"
#include "compiler/specialize/fold/identity.h"
#include "compiler/specialize/follow/tail_web.h"

namespace sartor::compiler {

using namespace llvm;

bool CallReach::any(Function &root, function_ref<bool(Function &)> wanted, Functions &visited) {
  SmallVector<Function *> work{&root};
  while (!work.empty()) {
    Function *function = work.pop_back_val();
    if (visited.contains(function))
      continue;
    if (wanted(*function))
      return true;
    visited.insert(function);
    work.append(callees_of(*function));
  }
  return false;
}

void CallReach::forget() { callees_.clear(); }

const CallReach::Callees &CallReach::callees_of(Function &function) {
  const auto [known, is_new] = callees_.try_emplace(&function);
  if (is_new)
    for (Function *callee : called_by(function, or_given_))
      if (!callee->isDeclaration())
        known->second.push_back(callee);
  return known->second;
}

namespace {

// Functions up to this size, such as accessors and iterators, are inlined whatever their arguments.
constexpr unsigned kSmall = 40;
// Limit on the size of functions that read an instruction or an operand for a loop.
constexpr unsigned kMostAhead = 200;
// Limit on the steps from a pointer back to its origin.
constexpr unsigned kMostSteps = 16;

} // namespace

bool InlineChoice::may_inline(CallBase &call) {
  Function *callee = call.getCalledFunction();
  return callee && !callee->isDeclaration() && callee != call.getFunction() &&
         callee->getFunctionType() == call.getFunctionType() && !call.isMustTailCall() &&
         !stays_out_of_web(call) && compiler::may_inline(*callee, *call.getFunction()) &&
         can_be_inlined(*callee) &&
         (callee->hasFnAttribute(Attribute::AlwaysInline) ||
          !(callee->hasFnAttribute(Attribute::NoInline) || call.isNoInline() ||
            callee->hasFnAttribute(Attribute::Cold) ||
            callee->hasFnAttribute(
                compiler::kFoldAttribute))); // SARTOR_FOLD functions are called as a whole
}

bool InlineChoice::is_accessor(CallBase &call) {
  return may_inline(call) && is_small(*call.getCalledFunction());
}

bool InlineChoice::is_small(Function &function) {
  return function.getInstructionCount() <= kSmall && !is_recursive(function);
}

bool InlineChoice::should_inline(CallBase &call, bool thoroughly, bool unfold) {
  if (!may_inline(call))
    return false;
  Function *callee = call.getCalledFunction();
  if (callee->hasFnAttribute(Attribute::AlwaysInline) || is_small(*callee))
    return true;
  if (!unfold && is_recursive(*callee))
    return false;
  const bool is_reported = any_of(call.args(), [&](const Use &argument) {
    return isa<Function>(argument->stripPointerCasts()) ||
           telling(call, call.getArgOperandNo(&argument));
  });
  return is_reported || (thoroughly && comes_by_invariant(*callee));
}

bool InlineChoice::should_inline_ahead(CallBase &call, const Evaluator &evaluator) {
  return may_inline(call) && call.getCalledFunction()->getInstructionCount() <= kMostAhead &&
         !is_recursive(*call.getCalledFunction()) && any_of(call.args(), [&](const Use &argument) {
           return argument->getType()->isPointerTy() &&
                  leads_to_invariant(argument, call, evaluator);
         });
}

// Follows the argument also through simple increments in a loop.
bool InlineChoice::leads_to_invariant(const Use &argument, CallBase &call,
                                      const Evaluator &evaluator) {
  SmallVector<llvm::Value *> work{argument};
  SmallPtrSet<llvm::Value *, 8> seen;
  while (!work.empty() && seen.size() < kMostSteps) {
    llvm::Value *value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (const Constant *known = evaluator.always(*value)) {
      const auto address = regions_.address_of(*known);
      if (address && regions_.any_near(*address) &&
          reads_.by(*call.getCalledFunction(), call.getArgOperandNo(&argument), *address))
        return true;
    } else if (auto *element = dyn_cast<GetElementPtrInst>(value)) {
      work.push_back(element->getPointerOperand());
    } else if (auto *phi = dyn_cast<PHINode>(value)) {
      work.append(phi->op_begin(), phi->op_end());
    }
  }
  return false;
}

void InlineChoice::forget(const Function &function) {
  recursive_.erase(&function);
  names_.erase(&function);
  with_.erase(const_cast<Function *>(&function));
  without_.erase(const_cast<Function *>(&function));
  called_.forget();
  called_or_given_.forget();
  reads_.forget(function);
}

Constant *InlineChoice::telling(CallBase &call, unsigned argument) {
  llvm::Value &given = *call.getArgOperand(argument);
  Constant *known = known_pointer(given);
  auto *constant = known ? known : dyn_cast<Constant>(&given);
  const auto address = constant ? regions_.address_of(*constant) : std::nullopt;
  return address && regions_.any_near(*address) &&
                 reads_.by(*call.getCalledFunction(), argument, *address)
             ? constant
             : nullptr;
}

// LLVM refuses to inline recursive functions because it would not know when to stop.
bool InlineChoice::can_be_inlined(Function &function) {
  return isInlineViable(function).isSuccess() || (is_recursive(function) && !function.isVarArg() &&
                                                  compiler::shape_problem(function).empty());
}

bool InlineChoice::is_recursive(Function &function) {
  if (const auto known = recursive_.find(&function); known != recursive_.end())
    return known->second;
  CallReach::Functions callers;
  for (const User *user : function.users())
    if (const auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == &function)
      callers.insert(const_cast<Function *>(call->getFunction()));
  CallReach::Functions visited;
  return recursive_[&function] =
             !callers.empty() &&
             called_.any(
                 function, [&](Function &reached) { return callers.contains(&reached); }, visited);
}

// A variable that a function refers to is equivalent to a pointer argument.
bool InlineChoice::comes_by_invariant(Function &function) {
  if (without_.contains(&function))
    return false;
  CallReach::Functions visited = without_;
  const auto comes_by = [&](Function &reached) {
    return with_.contains(&reached) || names_invariant(reached);
  };
  if (called_or_given_.any(function, comes_by, visited)) {
    with_.insert(&function);
    return true;
  }
  without_ = std::move(visited);
  return false;
}

bool InlineChoice::names_invariant(Function &function) {
  const auto [known, is_new] = names_.try_emplace(&function, false);
  if (is_new)
    known->second = any_of(instructions(function), [&](Instruction &instruction) {
      return any_of(instruction.operands(), [&](const Use &operand) {
        const auto *constant = dyn_cast<Constant>(operand);
        if (!constant || !constant->getType()->isPointerTy() || isa<Function>(constant))
          return false;
        const auto *variable = dyn_cast<GlobalVariable>(getUnderlyingObject(constant));
        return variable && is_invariant(*variable);
      });
    });
  return known->second;
}

bool InlineChoice::is_invariant(const GlobalVariable &variable) const {
  const auto address = regions_.address_of(variable);
  return address && regions_.overlaps(*address, variable.getDataLayout().getTypeAllocSize(
                                                    variable.getValueType()));
}

namespace {

class SteeringCalls {
public:
  SteeringCalls(Function &function, function_ref<bool(CallBase &)> reads)
      : dominators_(function), loops_(dominators_) {
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction);
          call && loops_.getLoopFor(call->getParent()) && reads(*call))
        calls_.insert(call);
  }

  std::vector<CallBase *> run() {
    for (CallBase *call : calls_)
      for (const Use &argument : call->args())
        add_cursors(*argument);
    for (CallBase *call : calls_)
      for (BasicBlock *block : loops_.getLoopFor(call->getParent())->blocks())
        if (auto *choice = dyn_cast<SwitchInst>(block->getTerminator()))
          work_.push_back(choice->getCondition());
    for (PHINode *cursor : cursors_)
      work_.append(cursor->op_begin(), cursor->op_end());
    follow_back();
    std::vector<CallBase *> steering;
    for (CallBase *call : calls_)
      if (seen_.contains(call))
        steering.push_back(call);
    return steering;
  }

private:
  // Adds the values at the loop's head that an address is computed from: they determine where a
  // loop reads.
  void add_cursors(llvm::Value &address) {
    SmallVector<llvm::Value *> work{&address};
    SmallPtrSet<llvm::Value *, 16> seen;
    while (!work.empty()) {
      auto *instruction = dyn_cast<Instruction>(work.pop_back_val());
      if (!instruction || !seen.insert(instruction).second)
        continue;
      if (auto *phi = dyn_cast<PHINode>(instruction); phi && loops_.isLoopHeader(phi->getParent()))
        cursors_.insert(phi);
      else if (isa<PHINode, GetElementPtrInst, BinaryOperator, CastInst, SelectInst>(instruction))
        work.append(instruction->op_begin(), instruction->op_end());
    }
  }

  void follow_back() {
    while (!work_.empty()) {
      auto *instruction = dyn_cast<Instruction>(work_.pop_back_val());
      if (!instruction || !seen_.insert(instruction).second)
        continue;
      if (const auto *load = dyn_cast<LoadInst>(instruction))
        if (const auto *variable =
                dyn_cast<AllocaInst>(getUnderlyingObject(load->getPointerOperand())))
          add_writers(*variable);
      if (!isa<CallBase>(
              instruction)) // the values that a call depends on are found when it is inlined
        work_.append(instruction->op_begin(), instruction->op_end());
    }
  }

  void add_writers(const AllocaInst &variable) {
    for (CallBase *call : calls_)
      if (any_of(call->args(),
                 [&](const Use &argument) { return getUnderlyingObject(argument) == &variable; }))
        seen_.insert(call);
  }

  DominatorTree dominators_;
  LoopInfo loops_;
  SmallSetVector<CallBase *, 8> calls_;
  SmallSetVector<PHINode *, 8> cursors_;
  SmallVector<llvm::Value *> work_;
  SmallPtrSet<llvm::Value *, 32> seen_;
};

} // namespace

std::vector<CallBase *> steering_calls(Function &function, function_ref<bool(CallBase &)> reads) {
  return SteeringCalls(function, reads).run();
}

} // namespace sartor::compiler
