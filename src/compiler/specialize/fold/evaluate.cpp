// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/fold/evaluate.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/frontend/analysis/foldable.h"
#include "compiler/frontend/machine_nans.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/readable.h"
#include "compiler/specialize/fold/identity.h"
#include "compiler/specialize/fold/which_member.h"
#include "core/request/native_call.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// Describes a call of the native code of `function` at `address`: arguments and result are the
/// bits of scalars (pointers, integers of up to 64 bits, float, double). Nothing if the function
/// has other types.
std::optional<core::NativeCall> native_call(std::uintptr_t address, const Function &function,
                                            std::vector<std::uint64_t> arguments) {
  auto types = compiler::call_types(function);
  if (!types || arguments.size() != types->arguments.size())
    return std::nullopt;
  return core::NativeCall{address, types->result, std::move(types->arguments),
                          std::move(arguments)};
}

// Limit on the depth of expressions: evaluation is recursive and must not exhaust the stack.
constexpr unsigned kDeepest = 500;

bool is_computable(const Instruction &instruction) {
  return isa<UnaryOperator, BinaryOperator, CastInst, CmpInst, GetElementPtrInst, ExtractValueInst,
             InsertValueInst, ExtractElementInst, InsertElementInst, ShuffleVectorInst, FreezeInst>(
      instruction);
}

// True for the function that the variant's entry points to. Unlike any other function, every call
// of the handler runs it.
bool is_entry(const Function &function) {
  return function.hasExternalLinkage() && compiler::is_handler(function);
}

bool calls_marked(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    return call && call->getCalledFunction() &&
           call->getCalledFunction()->hasFnAttribute(compiler::kFoldAttribute);
  });
}

Constant *unless_poison(Constant *constant) {
  return constant && !isa<UndefValue>(constant) && !constant->containsUndefOrPoisonElement()
             ? constant
             : nullptr;
}

} // namespace

bool Evaluator::can_compute(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || call.hasOperandBundles() || isa<CallBrInst>(call))
    return false;
  if (callee->hasFnAttribute(compiler::kFoldAttribute))
    return true;
  // llvm.is.constant and llvm.objectsize are answered last, when everything else is folded.
  return callee->isIntrinsic() && callee->getIntrinsicID() != Intrinsic::is_constant &&
         callee->getIntrinsicID() != Intrinsic::objectsize && canConstantFoldCallTo(&call, callee);
}

void Evaluator::enter(Function &function) {
  always_.clear();
  is_in_entry_ = is_entry(function);
  CertainBlocks certain;
  evaluate_all(function, certain);
  if (!is_in_entry_ || !calls_marked(function))
    return;
  // A call's result may decide which further blocks every call of the handler executes.
  for (;;) {
    CertainBlocks more = certain_blocks(function, [&](Instruction &end) { return decide(end); });
    if (more.size() == certain.size())
      return;
    certain = std::move(more);
    evaluate_all(function, certain);
  }
}

void Evaluator::evaluate_all(Function &function, const CertainBlocks &certain) {
  now_.clear();
  DenseMap<llvm::Value *, Constant *> found;
  // In this order, operands come before users, which avoids deep recursion.
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function)) {
    may_call_ = certain.contains(block);
    for (Instruction &instruction : *block)
      if (Constant *value = isa<PHINode>(instruction) ? nullptr : evaluate(instruction))
        found[&instruction] = value;
  }
  may_call_ = false;
  always_ = std::move(found);
  now_.clear();
}

BasicBlock *Evaluator::decide(Instruction &end) {
  if (end.getNumSuccessors() < 2 || !isa<BranchInst, SwitchInst, IndirectBrInst>(end))
    return nullptr;
  Constant *value = evaluate(*end.getOperand(0));
  if (auto *number = dyn_cast_or_null<ConstantInt>(value)) {
    if (auto *choice = dyn_cast<SwitchInst>(&end))
      return choice->findCaseValue(number)->getCaseSuccessor();
    if (auto *branch = dyn_cast<BranchInst>(&end))
      return branch->getSuccessor(number->isOne() ? 0 : 1);
  }
  if (auto *label = dyn_cast_or_null<BlockAddress>(value); label && isa<IndirectBrInst>(end))
    if (is_contained(successors(end.getParent()), label->getBasicBlock()))
      return label->getBasicBlock();
  return nullptr;
}

bool Evaluator::is_left(const CallBase &call) const {
  const Function *callee = call.getCalledFunction();
  return callee && callee->hasFnAttribute(compiler::kFoldAttribute) && !always_.contains(&call) &&
         all_of(call.args(), [&](const Use &argument) { return always(*argument.get()); });
}

void Evaluator::assume(const PhiValues &phi_values) {
  now_.clear();
  for (const auto &[phi, value] : phi_values)
    now_[phi] = value;
}

Constant *Evaluator::always(llvm::Value &value) const {
  if (auto *constant = dyn_cast<Constant>(&value))
    return regions_.plain(constant);
  return always_.lookup(&value);
}

Constant *Evaluator::evaluate(llvm::Value &value) {
  if (Constant *constant = always(value))
    return constant;
  auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return nullptr;
  if (auto known = now_.find(&value); known != now_.end())
    return known->second;
  if (depth_ > kDeepest)
    return nullptr;
  ++depth_;
  Constant *result = unless_poison(compute(*instruction));
  --depth_;
  now_[&value] = result;
  return result;
}

std::optional<std::uint64_t> Evaluator::invariant_of(LoadInst &load) {
  Constant *pointer = evaluate(load) ? evaluate(*load.getPointerOperand()) : nullptr;
  const auto address = pointer ? regions_.address_of(*pointer) : std::nullopt;
  return address ? regions_.invariant_at(*address) : std::nullopt;
}

Constant *Evaluator::compute(Instruction &instruction) {
  if (llvm::Value *known = written_of(instruction))
    return evaluate(*known);
  if (CallInst *mark = compiler::as_one_of(instruction))
    return evaluate(*compiler::watched_value(*mark));
  if (CallInst *question = as_which_member(instruction)) {
    Constant *function = evaluate(asked_of(*question));
    return function ? answer_for(*question, *function) : nullptr;
  }
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return compute_load(*load);
  if (auto *select = dyn_cast<SelectInst>(&instruction))
    return compute_select(*select);
  // A phi node with one entry, as at loop exits, is another name for its value.
  if (auto *phi = dyn_cast<PHINode>(&instruction))
    return phi->getNumIncomingValues() == 1 ? evaluate(*phi->getIncomingValue(0)) : nullptr;
  // A value known to be constant remains so; an unknown one may become constant later.
  if (const auto *question = dyn_cast<IntrinsicInst>(&instruction);
      question && question->getIntrinsicID() == Intrinsic::is_constant)
    return evaluate(*question->getArgOperand(0)) ? ConstantInt::getTrue(question->getContext())
                                                 : nullptr;
  auto *call = dyn_cast<CallBase>(&instruction);
  if (call ? !can_compute(*call) : !is_computable(instruction))
    return nullptr;
  SmallVector<Constant *, 4> operands;
  for (Use &use : call ? call->args() : instruction.operands()) {
    Constant *operand = evaluate(*use);
    if (!operand)
      return nullptr;
    operands.push_back(operand);
  }
  if (call)
    return compute_call(*call, operands);
  if (isa<FreezeInst>(instruction))
    return operands.front();
  if (Constant *known = compare_addresses(instruction, operands))
    return known;
  Constant *folded = compiler::with_machine_nans(
      instruction, operands, ConstantFoldInstOperands(&instruction, operands, layout_));
  return folded ? regions_.plain(folded) : nullptr;
}

// LLVM does not compare objects whose addresses only Sartor knows.
Constant *Evaluator::compare_addresses(const Instruction &instruction,
                                       ArrayRef<Constant *> operands) {
  const auto *compare = dyn_cast<ICmpInst>(&instruction);
  if (!compare || !operands.front()->getType()->isPointerTy())
    return nullptr;
  const auto first = regions_.address_of(*operands.front());
  const auto second = regions_.address_of(*operands.back());
  if (!first || !second)
    return nullptr;
  return ConstantInt::getBool(
      compare->getType(),
      ICmpInst::compare(APInt(64, *first), APInt(64, *second), compare->getPredicate()));
}

Constant *Evaluator::compute_select(SelectInst &select) {
  auto *condition = dyn_cast_or_null<ConstantInt>(evaluate(*select.getCondition()));
  if (condition)
    return evaluate(condition->isOne() ? *select.getTrueValue() : *select.getFalseValue());
  Constant *first = evaluate(*select.getTrueValue());
  return first && first == evaluate(*select.getFalseValue()) ? first : nullptr;
}

Constant *Evaluator::compute_load(LoadInst &load) {
  Constant *pointer = load.isSimple() ? evaluate(*load.getPointerOperand()) : nullptr;
  if (!pointer)
    return nullptr;
  if (auto address = regions_.address_of(*pointer))
    if (Constant *value = regions_.load(*address, *load.getType()))
      return value;
  // The address may be in a constant of the module.
  Constant *folded = ConstantFoldLoadFromConstPtr(pointer, load.getType(), layout_);
  return folded ? regions_.plain(folded) : nullptr;
}

Constant *Evaluator::compute_call(CallBase &call, ArrayRef<Constant *> arguments) {
  Function &callee = *call.getCalledFunction();
  if (!callee.hasFnAttribute(compiler::kFoldAttribute))
    return compiler::with_machine_nans(call, arguments,
                                       ConstantFoldCall(&call, &callee, arguments));
  const Call key{&callee, arguments.vec()};
  if (const auto known = called_.find(key); known != called_.end())
    return known->second;
  if (!may_call_ || !regions_.can_call())
    return nullptr;
  Constant *result = call_at_native_address(callee, arguments);
  called_.emplace(key, result);
  return result;
}

// Only calls with pointers to objects that are at least partly invariant: the author of the
// function guarantees that it reads only the invariant parts. The other memory that it reads is
// unknown, so the code depends on all invariants.
Constant *Evaluator::call_at_native_address(Function &function, ArrayRef<Constant *> arguments) {
  auto known =
      symbols_.find(std::string_view(function.getName().data(), function.getName().size()));
  if (known == symbols_.end())
    return nullptr;
  std::vector<std::uint64_t> words;
  for (Constant *argument : arguments) {
    if (const auto *number = dyn_cast<ConstantInt>(argument)) {
      words.push_back(number->getBitWidth() <= 64 ? number->getZExtValue() : 0);
    } else if (const auto *real = dyn_cast<ConstantFP>(argument)) {
      const APInt bits = real->getValueAPF().bitcastToAPInt();
      words.push_back(bits.getBitWidth() <= 64 ? bits.getZExtValue() : 0);
    } else {
      auto address = regions_.address_of(*argument);
      if (!address || *address == 0 ||
          (!regions_.is_in_object(*address) && !isa<Function>(argument)))
        return nullptr;
      words.push_back(*address);
    }
  }
  const auto call = native_call(reinterpret_cast<std::uintptr_t>(known->second), function, words);
  if (!call)
    return nullptr;
  const auto result = regions_.call(*call);
  if (!result) {
    failed_.insert(compiler::readable(function));
    return nullptr;
  }
  Type *type = function.getReturnType();
  if (type->isPointerTy())
    return regions_.pointer_to(*result);
  if (type->isFloatTy())
    return ConstantFP::get(type->getContext(),
                           APFloat(std::bit_cast<float>(static_cast<std::uint32_t>(*result))));
  if (type->isDoubleTy())
    return ConstantFP::get(type->getContext(), APFloat(std::bit_cast<double>(*result)));
  return ConstantInt::get(type->getContext(), APInt(64, *result).trunc(type->getIntegerBitWidth()));
}

} // namespace sartor::compiler
