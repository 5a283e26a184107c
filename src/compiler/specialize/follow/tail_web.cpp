// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/follow/tail_web.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/readable.h"
#include "compiler/frontend/tail_form.h"
#include "compiler/specialize/blocks.h"
#include "compiler/specialize/fold/which_member.h"
#include "compiler/specialize/follow/trail.h"
#include "compiler/specialize/follow/web_loop.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// A caller of this size gets no further webs, each of which may be as large again.
constexpr unsigned kLargestCaller = 20000;

bool may_begin(const CallBase &call) {
  return !isa<CallBrInst>(call) && !call.isNoInline() && !call.hasOperandBundles() &&
         !call.isInlineAsm() && !call.hasFnAttr(kOutOfWebAttribute);
}

SmallVector<CallInst *> questions_in(Function &function) {
  SmallVector<CallInst *> found;
  for (Instruction &instruction : instructions(function))
    if (CallInst *question = as_which_member(instruction))
      found.push_back(question);
  return found;
}

bool is_called_as_one(const CallBase &call, ArrayRef<const Function *> operations) {
  return any_of(operations, [&](const Function *operation) {
    return operation->getFunctionType() == call.getFunctionType() &&
           operation->getCallingConv() == call.getCallingConv();
  });
}

// True for a value from a sartor_one_of(), which may be none of its known values; the mark reports
// this itself.
bool comes_from_one_of(llvm::Value &value) {
  SmallVector<llvm::Value *> work{&value};
  SmallPtrSet<llvm::Value *, 16> seen;
  while (!work.empty()) {
    auto *instruction = dyn_cast<Instruction>(work.pop_back_val());
    if (!instruction || !seen.insert(instruction).second)
      continue;
    if (compiler::as_one_of(*instruction))
      return true;
    work.append(instruction->op_begin(), instruction->op_end());
  }
  return false;
}

void take_away(CallInst &question) {
  BasicBlock *block = question.getParent();
  Instruction *branch = block->getTerminator();
  if (BasicBlock *other = way_of_others(*branch)) {
    for (BasicBlock *next : successors(block))
      if (next != other)
        next->removePredecessor(block);
    BranchInst::Create(other, branch->getIterator());
    branch->eraseFromParent();
  }
  question.replaceAllUsesWith(PoisonValue::get(question.getType()));
  question.eraseFromParent();
}

} // namespace

TailWebs::TailWebs(Function &function, const Evaluator &evaluator) : function_(function) {
  SmallVector<std::pair<CallBase *, Function *>> roots;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction); call && may_begin(*call))
      if (auto *first = dyn_cast_or_null<Function>(evaluator.always(*call->getCalledOperand()));
          first && first->getFunctionType() == call->getFunctionType() &&
          first->getCallingConv() == call->getCallingConv() &&
          why_no_member(*first, function).empty() && compiler::is_in_tail_form(*first))
        roots.emplace_back(call, first);
  for (const auto &[call, first] : roots)
    make(*call, *first);
}

void TailWebs::make(CallBase &root, Function &first) {
  if (function_.getInstructionCount() > kLargestCaller)
    return;
  const auto number = static_cast<unsigned>(webs_.size());
  const WebLoop web(first, function_, number);
  Function *loop = web.function();
  if (!web.begins()) {
    loop->eraseFromParent();
    return;
  }
  root.setCalledFunction(loop);
  if (DISubprogram *source = function_.getSubprogram(); source && !root.getDebugLoc())
    root.setDebugLoc(DILocation::get(function_.getContext(), 0, 0, source));
  InlineFunctionInfo info;
  if (!InlineFunction(root, info).isSuccess()) {
    root.setCalledFunction(&first);
    loop->eraseFromParent();
    return;
  }
  loop->eraseFromParent();
  for (CallInst *question : questions_in(function_))
    if (web_of(*question) == number)
      webs_.push_back(
          {question, &*way_of_others(*question->getParent()->getTerminator())->getFirstNonPHIIt()});
}

bool TailWebs::was_followed(unsigned web) const {
  return any_of(questions_in(function_), [&](CallInst *question) {
    return web_of(*question) == web && question != webs_[web].question;
  });
}

void TailWebs::finish() {
  for (unsigned web = 0; web < webs_.size(); ++web) {
    auto *leaving = dyn_cast_or_null<CallBase>(static_cast<llvm::Value *>(webs_[web].leaving));
    if (!leaving || was_followed(web))
      continue;
    leaving->removeFnAttr(kOutOfWebAttribute);
    leaving->removeFnAttr(Attribute::NoInline);
  }
  SmallVector<BasicBlock *> heads;
  for (CallInst *question : questions_in(function_)) {
    heads.push_back(question->getParent());
    take_away(*question);
  }
  EliminateUnreachableBlocks(function_);
  for (BasicBlock &block : function_)
    if (is_contained(heads, &block) && block.getSinglePredecessor())
      FoldSingleEntryPHINodes(&block);
}

void report_tail_webs(Function &function, const Evaluator &evaluator,
                      std::vector<Remark> &remarks) {
  SmallVector<const Function *> operations;
  for (const Function &other : *function.getParent())
    if (compiler::is_operation(other))
      operations.push_back(&other);
  if (operations.empty())
    return;
  const SmallPtrSet<PHINode *, 1> none_given_up;
  const Trail trail(function, evaluator, none_given_up);
  const Blocks likely = likely_blocks(function);
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || !likely.contains(call->getParent()))
      continue;
    if (call->hasFnAttr(kOutOfWebAttribute) && !call->isNoInline())
      continue; // a call from inside the web
    const std::string what =
        "operations that tail-call each other are not followed in " + compiler::readable(function);
    const auto *callee = dyn_cast_or_null<Function>(evaluator.always(*call->getCalledOperand()));
    if (!callee) {
      if (call->isIndirectCall() && is_called_as_one(*call, operations) &&
          !comes_from_one_of(*call->getCalledOperand()))
        remarks.push_back({RemarkCode::tail_calls_left,
                           what + " where it is not known which comes next, but for " +
                               trail.unknown_in(*call->getCalledOperand()) +
                               compiler::place_text(call->getDebugLoc())});
      continue;
    }
    const bool was_left = call->hasFnAttr(kOutOfWebAttribute);
    const bool may_be_one =
        callee->isDeclaration() ? callee->hasAddressTaken() : is_contained(operations, callee);
    if (!is_called_as_one(*call, operations) || (!was_left && !may_be_one))
      continue;
    std::string why = why_no_member(*callee, function);
    if (why.empty())
      why = was_left
                ? "that it comes next was not known in time, or there is no room"
                : "how it goes on is not known, or the function is too large or cannot be copied";
    Remark remark{RemarkCode::tail_calls_left, what};
    remark.message.append(" from ")
        .append(compiler::readable(*callee))
        .append(" on: ")
        .append(why)
        .append(compiler::place_text(call->getDebugLoc()));
    remarks.push_back(std::move(remark));
  }
}

bool stays_out_of_web(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return call.hasFnAttr(kOutOfWebAttribute) && callee && compiler::passes_on(*callee);
}

} // namespace sartor::compiler
