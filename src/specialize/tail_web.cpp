// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "specialize/tail_web.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "point/prepare.h"
#include "point/readable.h"
#include "point/tail_form.h"
#include "point/target.h"
#include "specialize/likely.h"
#include "specialize/trail.h"
#include "specialize/which_member.h"

namespace sartor::specialize {

using namespace llvm;

namespace {

// Of all operations together, whichever the program has.
constexpr unsigned kMostInstructions = 20000;

// Of calls; see stays_out_of_web().
constexpr const char *kOutOfWeb = "sartor-out-of-web";

// Each runs anew what it has on its stack, which a loop would let grow.
bool has_growing_frame(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *slot = dyn_cast<AllocaInst>(&instruction);
    return slot && !slot->isStaticAlloca();
  });
}

// What the caller has put into its own frame for the callee is gone when that passes on.
bool passes_in_frame(const Function &function) {
  return function.isVarArg() || any_of(function.args(), [](const Argument &argument) {
           return argument.hasPassPointeeByValueCopyAttr() || argument.hasStructRetAttr() ||
                  argument.hasSwiftErrorAttr();
         });
}

// Empty if it may be one.
std::string why_no_member(const Function &function, const Function &caller) {
  if (function.isDeclaration())
    return "its code is not at hand, or too large";
  if (&function == &caller || point::is_handler(function))
    return "it is a handler";
  if (function.hasFnAttribute(Attribute::NoInline) || function.hasFnAttribute(Attribute::Cold) ||
      function.hasFnAttribute(point::kFoldAttribute))
    return "it is not to be inlined";
  if (!point::may_inline(function, caller))
    return "it is compiled with other options";
  if (passes_in_frame(function))
    return "it takes or gives structures in memory, or any number of arguments";
  if (has_growing_frame(function))
    return "it has variables of which nobody knows how large they are";
  return "";
}

bool must_pass_on(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    return call && call->isMustTailCall();
  });
}

bool may_begin(const CallBase &call) {
  return !isa<CallBrInst>(call) && !call.isNoInline() && !call.hasOperandBundles() &&
         !call.isInlineAsm() && !call.hasFnAttr(kOutOfWeb);
}

/// The web as a function of its own, of the type that its operations have.
class Loop {
public:
  Loop(Function &first, unsigned number)
      : module_(*first.getParent()), first_(first), number_(number) {}

  /// Null if it would be too large.
  Function *make(const Function &caller) {
    SmallVector<Function *> members;
    for (Function &function : module_)
      if (point::are_called_alike(function, first_) && why_no_member(function, caller).empty())
        members.push_back(&function);
    must_ = any_of(members, [](const Function *member) { return must_pass_on(*member); });
    LLVMContext &context = module_.getContext();
    loop_ = Function::Create(first_.getFunctionType(), GlobalValue::InternalLinkage, "", module_);
    loop_->setCallingConv(first_.getCallingConv());
    loop_->setAttributes(passing());
    entry_ = BasicBlock::Create(context, "", loop_);
    head_ = BasicBlock::Create(context, "", loop_);
    SmallVector<Type *> passed{PointerType::getUnqual(context)};
    append_range(passed, first_.getFunctionType()->params());
    go_on_ = Function::Create(FunctionType::get(Type::getVoidTy(context), passed, false),
                              GlobalValue::ExternalLinkage, "sartor.go.on", module_);
    go_on_->setDoesNotThrow();
    IRBuilder<> builder(entry_);
    builder.CreateBr(head_);
    builder.SetInsertPoint(head_);
    for (Type *type : passed)
      state_.push_back(builder.CreatePHI(type, 2));
    for (Function *member : members)
      if (!add(*member))
        return give_up();
    choose();
    close();
    return loop_;
  }

private:
  [[nodiscard]] AttributeList passing() const {
    LLVMContext &context = module_.getContext();
    const AttributeList all = first_.getAttributes();
    AttributeList kept;
    for (const Attribute::AttrKind kind : {Attribute::ZExt, Attribute::SExt, Attribute::InReg}) {
      if (all.hasRetAttr(kind))
        kept = kept.addRetAttribute(context, kind);
      for (const Argument &argument : first_.args())
        if (argument.hasAttribute(kind))
          kept =
              kept.addParamAttribute(context, argument.getArgNo(), Attribute::get(context, kind));
    }
    return kept;
  }

  CallInst *call(llvm::Value *callee, BasicBlock &block) {
    IRBuilder<> builder(&block);
    SmallVector<llvm::Value *> arguments(drop_begin(state_));
    CallInst *call = builder.CreateCall(first_.getFunctionType(), callee, arguments);
    call->setCallingConv(first_.getCallingConv());
    call->setAttributes(passing());
    call->setTailCallKind(CallInst::TCK_MustTail);
    if (call->getType()->isVoidTy())
      builder.CreateRetVoid();
    else
      builder.CreateRet(call);
    return call;
  }

  // Returns whether there was room.
  bool add(Function &member) {
    ValueToValueMapTy map;
    Function *body = CloneFunction(&member, map);
    body->setLinkage(GlobalValue::InternalLinkage);
    pass_on_by_head(*body);
    size_ += body->getInstructionCount();
    BasicBlock *block = BasicBlock::Create(module_.getContext(), "", loop_);
    InlineFunctionInfo info;
    const bool has_room = size_ <= kMostInstructions;
    if (has_room && isInlineViable(*body).isSuccess() &&
        InlineFunction(*call(body, *block), info).isSuccess()) {
      members_.push_back(&member);
      blocks_.push_back(block);
    } else {
      block->eraseFromParent();
    }
    body->eraseFromParent();
    return has_room;
  }

  void pass_on_by_head(Function &body) {
    SmallVector<CallBase *> passing_on;
    for (Instruction &instruction : instructions(body))
      if (auto *call = dyn_cast<CallBase>(&instruction)) {
        if (point::passes_on(*call))
          passing_on.push_back(call);
        else if (must_ && call->getFunctionType() == first_.getFunctionType())
          call->addFnAttr(Attribute::get(module_.getContext(), kOutOfWeb));
      }
    for (CallBase *call : passing_on) {
      SmallVector<llvm::Value *> state{call->getCalledOperand()};
      append_range(state, call->args());
      IRBuilder<>(call).CreateCall(go_on_, state);
      changeToUnreachable(call);
    }
  }

  void choose() {
    BasicBlock *other = BasicBlock::Create(module_.getContext(), "", loop_);
    CallInst *leaving = call(state_.front(), *other);
    if (must_) {
      leaving->addFnAttr(Attribute::get(module_.getContext(), kOutOfWeb));
      leaving->setIsNoInline();
    }
    IRBuilder<> builder(head_);
    CallInst *question = ask_which_member(builder, *state_.front(), number_, members_);
    SwitchInst *choice =
        builder.CreateSwitch(question, other, static_cast<unsigned>(members_.size()));
    for (auto [member, block] : zip_equal(members_, blocks_))
      choice->addCase(answer_for(*question, *member), block);
  }

  void close() {
    state_.front()->addIncoming(&first_, entry_);
    for (auto [phi, argument] :
         zip_equal(drop_begin(state_), llvm::make_pointer_range(loop_->args())))
      phi->addIncoming(argument, entry_);
    for (User *user : make_early_inc_range(go_on_->users())) {
      auto *call = cast<CallInst>(user);
      for (auto [phi, value] : zip_equal(state_, call->args()))
        phi->addIncoming(value, call->getParent());
      call->getParent()->getTerminator()->eraseFromParent();
      BranchInst::Create(head_, call->getIterator());
      call->eraseFromParent();
    }
    go_on_->eraseFromParent();
    // What no operation changes need not be known anew at each.
    for (PHINode *phi : state_)
      if (llvm::Value *same = phi->hasConstantValue(); same && phi != state_.front()) {
        phi->replaceAllUsesWith(same);
        phi->eraseFromParent();
      }
  }

  Function *give_up() {
    loop_->eraseFromParent();
    go_on_->eraseFromParent();
    return nullptr;
  }

  Module &module_;
  Function &first_;
  const unsigned number_;
  Function *loop_ = nullptr;
  Function *go_on_ = nullptr; ///< Stands for going back to the head, with what is to be there.
  BasicBlock *entry_ = nullptr;
  BasicBlock *head_ = nullptr;
  SmallVector<PHINode *> state_; ///< The operation, and its arguments.
  SmallVector<Function *> members_;
  SmallVector<BasicBlock *> blocks_;
  /// Where calls only happen to be tail calls, as in a chain of filters, functions may as well be
  /// inlined.
  bool must_ = false;
  unsigned size_ = 0;
};

SmallVector<CallInst *> questions_in(Function &function) {
  SmallVector<CallInst *> found;
  for (Instruction &instruction : instructions(function))
    if (CallInst *question = as_which_member(instruction))
      found.push_back(question);
  return found;
}

SwitchInst *choice_by(CallInst &question) {
  for (User *user : question.users())
    if (auto *choice = dyn_cast<SwitchInst>(user))
      return choice;
  return nullptr;
}

void take_other(SwitchInst &choice) {
  BasicBlock *block = choice.getParent();
  for (const auto &way : choice.cases())
    way.getCaseSuccessor()->removePredecessor(block);
  BranchInst::Create(choice.getDefaultDest(), choice.getIterator());
  choice.eraseFromParent();
}

} // namespace

TailWebs::TailWebs(Function &function, Evaluator &evaluator, std::vector<std::string> &remarks)
    : function_(function), remarks_(remarks) {
  SmallVector<std::pair<CallBase *, Function *>> roots;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction); call && may_begin(*call))
      if (auto *first = dyn_cast_or_null<Function>(evaluator.always(*call->getCalledOperand()));
          first && first->getFunctionType() == call->getFunctionType() &&
          first->getCallingConv() == call->getCallingConv() &&
          why_no_member(*first, function).empty() && point::is_in_tail_form(*first))
        roots.emplace_back(call, first);
  for (const auto &[call, first] : roots)
    make(*call, *first);
}

void TailWebs::make(CallBase &root, Function &first) {
  const auto number = static_cast<unsigned>(webs_.size());
  Function *loop = Loop(first, number).make(function_);
  if (!loop) {
    remarks_.push_back("the functions that tail-call each other from " + point::readable(first) +
                       " on are not followed: they are more than " +
                       std::to_string(kMostInstructions) + " instructions");
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
      webs_.push_back({question, &*choice_by(*question)->getDefaultDest()->getFirstNonPHIIt()});
}

bool TailWebs::was_followed(unsigned web) const {
  return any_of(questions_in(function_), [&](CallInst *question) {
    return web_of(*question) == web && question != webs_[web].question;
  });
}

bool TailWebs::finish() {
  bool followed = false;
  for (unsigned web = 0; web < webs_.size(); ++web) {
    if (was_followed(web)) {
      followed = true;
    } else if (auto *call =
                   dyn_cast_or_null<CallBase>(static_cast<llvm::Value *>(webs_[web].leaving))) {
      call->removeFnAttr(kOutOfWeb);
      call->removeFnAttr(Attribute::NoInline);
    }
  }
  SmallVector<BasicBlock *> heads;
  for (CallInst *question : questions_in(function_)) {
    if (SwitchInst *choice = choice_by(*question))
      take_other(*choice);
    heads.push_back(question->getParent());
    question->eraseFromParent();
  }
  EliminateUnreachableBlocks(function_);
  for (BasicBlock &block : function_)
    if (is_contained(heads, &block) && block.getSinglePredecessor())
      FoldSingleEntryPHINodes(&block);
  return followed;
}

void tell_of_tail_webs(Function &function, const Evaluator &evaluator,
                       std::vector<std::string> &remarks) {
  SmallVector<const Function *> operations;
  for (const Function &other : *function.getParent())
    if (point::is_in_tail_form(other))
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
    if (call->hasFnAttr(kOutOfWeb) && !call->isNoInline())
      continue; // from inside
    const std::string what =
        "operations that tail-call each other are not followed in " + point::readable(function);
    const Function *callee = call->getCalledFunction();
    if (!callee) {
      if (call->isIndirectCall() && any_of(operations, [&](const Function *operation) {
            return operation->getFunctionType() == call->getFunctionType() &&
                   operation->getCallingConv() == call->getCallingConv();
          }))
        remarks.push_back(what + " where it is not known which comes next, but for " +
                          trail.unknown_in(*call->getCalledOperand()));
      continue;
    }
    const std::string why = why_no_member(*callee, function);
    if (call->hasFnAttr(kOutOfWeb) || (!why.empty() && is_contained(operations, callee)))
      remarks.push_back(what + " from " + point::readable(*callee) +
                        " on: " + (why.empty() ? "that it comes next was not known in time" : why));
  }
}

bool stays_out_of_web(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  return call.hasFnAttr(kOutOfWeb) && callee && point::passes_on(*callee);
}

} // namespace sartor::specialize
