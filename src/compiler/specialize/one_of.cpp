// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/one_of.h"

#include <map>
#include <tuple>

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/frontend/marks/marks.h"
#include "compiler/specialize/fold/identity.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kTried = "sartor.tried";

// An unknown value of up to this number of bits is evaluated for all its values.
constexpr unsigned kMostBits = 8;
// Limit on the instructions that a value may be computed from.
constexpr unsigned kMostSources = 32;

bool may_fork(const CallInst &mark) {
  const Type *type = mark.getType();
  return (type->isIntegerTy() && type->getIntegerBitWidth() <= 64) || type->isPointerTy();
}

// Returns the only unknown value that a value is computed from; null if there are several.
Instruction *unknown_in(llvm::Value &value, Evaluator &evaluator) {
  SmallVector<llvm::Value *> work{&value};
  SmallPtrSet<llvm::Value *, 16> seen;
  Instruction *unknown = nullptr;
  while (!work.empty()) {
    auto *instruction = dyn_cast<Instruction>(work.pop_back_val());
    if (!instruction)
      return nullptr;
    if (!seen.insert(instruction).second || evaluator.evaluate(*instruction))
      continue;
    if (seen.size() > kMostSources)
      return nullptr;
    const bool is_narrow =
        instruction->getType()->isIntegerTy() &&
        computeKnownBits(instruction, instruction->getDataLayout()).countMaxActiveBits() <=
            kMostBits;
    const auto *load = dyn_cast<LoadInst>(instruction);
    const bool is_computed =
        isa<BinaryOperator, CastInst, GetElementPtrInst, FreezeInst>(instruction) ||
        (load && load->isSimple() && (!is_narrow || instruction == &value)) ||
        compiler::as_one_of(*instruction);
    // The widest expression that is still narrow is enumerated: less remains to be computed.
    if (is_narrow && !compiler::as_one_of(*instruction) && instruction != &value) {
      if (unknown && unknown != instruction)
        return nullptr;
      unknown = instruction;
    } else if (is_computed) {
      for (const Use &operand : instruction->operands())
        if (!isa<Constant>(operand) && !isa<BasicBlock>(operand))
          work.push_back(operand);
    } else {
      return nullptr;
    }
  }
  return unknown;
}

// True if a question whether a value is constant concerns a mark's value.
bool is_about_mark(llvm::Value &value) {
  SmallVector<llvm::Value *> work{&value};
  SmallPtrSet<llvm::Value *, 16> seen;
  while (!work.empty()) {
    auto *instruction = dyn_cast<Instruction>(work.pop_back_val());
    if (!instruction || !seen.insert(instruction).second)
      continue;
    if (compiler::as_one_of(*instruction))
      return true;
    if (isa<LoadInst>(instruction) || seen.size() > kMostSources)
      continue;
    work.append(instruction->op_begin(), instruction->op_end());
  }
  return false;
}

// Code behind a false answer becomes unreachable and is removed.
void answer_questions(Function &function) {
  SmallVector<WeakVH> questions; // an answer may remove a later question
  for (Instruction &instruction : instructions(function)) {
    auto *question = dyn_cast<IntrinsicInst>(&instruction);
    if (!question || question->getIntrinsicID() != Intrinsic::is_constant)
      continue;
    llvm::Value *about = question->getArgOperand(0);
    if (isa<Constant>(about) || !is_about_mark(*about))
      continue;
    questions.emplace_back(question);
  }
  for (const WeakVH &question : questions)
    if (auto *left = cast_or_null<Instruction>(static_cast<llvm::Value *>(question)))
      replaceAndRecursivelySimplify(left, ConstantInt::getFalse(left->getContext()));
  for (BasicBlock &block : function)
    ConstantFoldTerminator(&block);
  removeUnreachableBlocks(function);
}

} // namespace

void make_forks(Function &function, const Evaluator &evaluator) {
  for (CallInst *mark : compiler::one_ofs_of(function)) {
    if (!may_fork(*mark) || evaluator.always(*mark) || mark->use_empty() ||
        fork_behind(*mark->getParent()))
      continue;
    BasicBlock *before = mark->getParent();
    BasicBlock *behind = SplitBlock(before, mark->getNextNode());
    auto *phi = PHINode::Create(mark->getType(), 1, "one_of", behind->begin());
    llvm::Value *known = phi;
    if (phi->getType()->isPointerTy()) {
      IRBuilder<> builder(behind, behind->getFirstInsertionPt());
      builder.SetCurrentDebugLocation(mark->getDebugLoc());
      known = may_know_pointer(builder, *phi);
    }
    mark->replaceAllUsesWith(known);
    phi->addIncoming(mark, before);
  }
}

CallInst *fork_of(const PHINode &phi) {
  if (phi.getNumIncomingValues() != 1)
    return nullptr;
  const auto *value = dyn_cast<Instruction>(phi.getIncomingValue(0));
  CallInst *mark = value ? compiler::as_one_of(*value) : nullptr;
  return mark && mark->getNextNode() == mark->getParent()->getTerminator() &&
                 mark->getParent() == phi.getIncomingBlock(0)
             ? mark
             : nullptr;
}

PHINode *fork_behind(const BasicBlock &block) {
  const BasicBlock *behind = block.getSingleSuccessor();
  if (!behind || behind->phis().empty())
    return nullptr;
  auto &phi = const_cast<PHINode &>(*behind->phis().begin());
  const CallInst *mark = fork_of(phi);
  return mark && mark->getParent() == &block ? &phi : nullptr;
}

SmallVector<Constant *> values_of(llvm::Value &value, Evaluator &evaluator,
                                  const PhiValues &phi_values) {
  Instruction *unknown = unknown_in(value, evaluator);
  if (!unknown)
    return {};
  const unsigned bits = computeKnownBits(unknown, unknown->getDataLayout()).countMaxActiveBits();
  SmallSetVector<Constant *, 8> found;
  for (std::uint64_t each = 0; each < (std::uint64_t{1} << bits); ++each) {
    evaluator.assume(phi_values);
    evaluator.assume_also(*unknown, *ConstantInt::get(unknown->getType(), each));
    Constant *result = evaluator.evaluate(value);
    if (!result) {
      found.clear();
      break;
    }
    found.insert(result);
  }
  evaluator.assume(phi_values);
  return {found.begin(), found.end()};
}

bool was_tried(const CallInst &mark, const Constant &value) {
  const MDNode *tried = mark.getMetadata(kTried);
  return tried && any_of(tried->operands(), [&](const MDOperand &each) {
           const auto *constant = dyn_cast<ConstantAsMetadata>(each);
           return constant && constant->getValue() == &value;
         });
}

bool has_forked(Function &function) {
  return any_of(compiler::one_ofs_of(function),
                [](const CallInst *mark) { return mark->hasMetadata(kTried); });
}

void choose_among(BasicBlock &block, ArrayRef<std::pair<Constant *, BasicBlock *>> ways) {
  Instruction *end = block.getTerminator();
  auto *mark = cast<CallInst>(end->getPrevNode());
  IRBuilder<> builder(end);
  BasicBlock *otherwise = end->getSuccessor(0);
  SwitchInst *choice = nullptr;
  if (mark->getType()->isPointerTy()) {
    // The addresses may be known to the linker only.
    llvm::Value *address = hidden_address(builder, *mark);
    llvm::Value *number = builder.getInt32(0);
    for (unsigned i = 0; i < ways.size(); ++i)
      number = builder.CreateSelect(
          builder.CreateICmpEQ(address, builder.CreatePtrToInt(ways[i].first, address->getType())),
          builder.getInt32(i + 1), number);
    choice = builder.CreateSwitch(number, otherwise, static_cast<unsigned>(ways.size()));
    for (unsigned i = 0; i < ways.size(); ++i)
      choice->addCase(builder.getInt32(i + 1), ways[i].second);
  } else {
    choice = builder.CreateSwitch(mark, otherwise, static_cast<unsigned>(ways.size()));
    for (const auto &[value, way] : ways)
      choice->addCase(cast<ConstantInt>(value), way);
  }
  end->eraseFromParent();
  SmallVector<Metadata *> tried;
  if (const MDNode *before = mark->getMetadata(kTried))
    tried.append(before->op_begin(), before->op_end());
  for (const auto &[value, way] : ways)
    tried.push_back(ConstantAsMetadata::get(value));
  mark->setMetadata(kTried, MDNode::get(mark->getContext(), tried));
}

void forget_one_of(Module &module, std::vector<Remark> &remarks) {
  std::map<std::tuple<std::string, unsigned, std::string>, bool> of_use;
  for (Function &function : module) {
    if (compiler::one_ofs_of(function).empty())
      continue;
    answer_questions(function);
    for (CallInst *mark : compiler::one_ofs_of(function)) {
      const ConstAssertion reported = compiler::read_one_of(*mark);
      of_use[{reported.file, reported.line, reported.text}] |=
          isa<Constant>(compiler::watched_value(*mark)) || mark->hasMetadata(kTried);
      compiler::make_generic(*mark);
    }
  }
  for (const auto &[place, is_of_use] : of_use)
    if (!is_of_use)
      remarks.push_back({RemarkCode::one_of_unknown,
                         "sartor_one_of(" + std::get<2>(place) + ") (" + std::get<0>(place) + ":" +
                             std::to_string(std::get<1>(place)) +
                             ") changes nothing: no value is known that it may have"});
}

} // namespace sartor::compiler
