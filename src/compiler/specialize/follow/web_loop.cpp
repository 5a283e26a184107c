// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/follow/web_loop.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include "compiler/frontend/clone.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/tail_form.h"
#include "compiler/frontend/target.h"
#include "compiler/specialize/fold/which_member.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Limits on the size of all operations together: for mandatory tail calls, and for calls that only
// happen to be tail calls, whose functions may have nothing in common but their type.
constexpr unsigned kMostInstructions = 20000;
constexpr unsigned kMostByChance = 2000;

// Each execution would allocate the function's stack variables again, so that the frame would grow
// in a loop.
bool has_growing_frame(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *slot = dyn_cast<AllocaInst>(&instruction);
    return slot && !slot->isStaticAlloca();
  });
}

// Data that the caller passes in its own frame no longer exists when the callee passes on.
bool passes_in_frame(const Function &function) {
  return function.isVarArg() || any_of(function.args(), [](const Argument &argument) {
           return argument.hasPassPointeeByValueCopyAttr() || argument.hasStructRetAttr() ||
                  argument.hasSwiftErrorAttr();
         });
}

} // namespace

std::string why_no_member(const Function &function, const Function &caller) {
  if (function.isDeclaration())
    return "its code is not at hand, or too large";
  if (&function == &caller || compiler::is_handler(function))
    return "it is a handler";
  if (function.hasFnAttribute(Attribute::NoInline) || function.hasFnAttribute(Attribute::Cold) ||
      function.hasFnAttribute(compiler::kFoldAttribute))
    return "it is not to be inlined";
  if (!compiler::may_inline(function, caller))
    return "it is compiled with other options";
  if (passes_in_frame(function))
    return "it takes or gives structures in memory, or any number of arguments";
  if (has_growing_frame(function))
    return "it has variables of unknown size";
  return "";
}

WebLoop::WebLoop(Function &first, const Function &caller, unsigned number)
    : module_(*first.getParent()), first_(first) {
  SmallVector<Function *> members{&first_};
  for (Function &function : module_)
    if (&function != &first_ && compiler::are_called_alike(function, first_) &&
        why_no_member(function, caller).empty())
      members.push_back(&function);
  must_ = any_of(members, [](const Function *member) { return compiler::must_pass_on(*member); });
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
  next_ = builder.CreatePHI(passed.front(), 2);
  for (Function *member : members)
    add(*member);
  choose(number);
  close();
}

AttributeList WebLoop::passing() const {
  LLVMContext &context = module_.getContext();
  const AttributeList all = first_.getAttributes();
  AttributeList kept;
  for (const Attribute::AttrKind kind : {Attribute::ZExt, Attribute::SExt, Attribute::InReg}) {
    if (all.hasRetAttr(kind))
      kept = kept.addRetAttribute(context, kind);
    for (const Argument &argument : first_.args())
      if (argument.hasAttribute(kind))
        kept = kept.addParamAttribute(context, argument.getArgNo(), Attribute::get(context, kind));
  }
  return kept;
}

CallInst *WebLoop::call(llvm::Value *callee, BasicBlock &block) {
  IRBuilder<> builder(&block);
  SmallVector<llvm::Value *> arguments(make_pointer_range(loop_->args()));
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

void WebLoop::add(Function &member) {
  Function *body = compiler::copy_function(member);
  body->setLinkage(GlobalValue::InternalLinkage);
  pass_on_by_head(*body);
  const unsigned size = body->getInstructionCount();
  if (size_ + size <= (must_ ? kMostInstructions : kMostByChance) &&
      isInlineViable(*body).isSuccess()) {
    BasicBlock *block = BasicBlock::Create(module_.getContext(), "", loop_);
    InlineFunctionInfo info;
    if (InlineFunction(*call(body, *block), info).isSuccess()) {
      members_.push_back(&member);
      blocks_.push_back(block);
      size_ += size;
    } else {
      block->eraseFromParent();
    }
  }
  body->eraseFromParent();
}

void WebLoop::pass_on_by_head(Function &body) {
  SmallVector<CallBase *> passing_on;
  for (Instruction &instruction : instructions(body))
    if (auto *call = dyn_cast<CallBase>(&instruction)) {
      if (compiler::passes_on(*call))
        passing_on.push_back(call);
      else if (must_ && call->getFunctionType() == first_.getFunctionType())
        call->addFnAttr(Attribute::get(module_.getContext(), kOutOfWebAttribute));
    }
  for (CallBase *call : passing_on) {
    SmallVector<llvm::Value *> state{call->getCalledOperand()};
    append_range(state, call->args());
    IRBuilder<>(call).CreateCall(go_on_, state);
    changeToUnreachable(call);
  }
}

void WebLoop::choose(unsigned number) {
  BasicBlock *other = BasicBlock::Create(module_.getContext(), "", loop_);
  CallInst *leaving = call(next_, *other);
  if (must_) {
    leaving->addFnAttr(Attribute::get(module_.getContext(), kOutOfWebAttribute));
    leaving->setIsNoInline();
  }
  IRBuilder<> builder(head_);
  CallInst *question = ask_which_member(builder, *next_, number, members_);
  SwitchInst *choice =
      builder.CreateSwitch(question, other, static_cast<unsigned>(members_.size()));
  for (auto [member, block] : zip_equal(members_, blocks_))
    choice->addCase(answer_for(*question, *member), block);
}

void WebLoop::close() {
  SmallVector<PHINode *> state{next_};
  next_->addIncoming(&first_, entry_);
  // Arguments are replaced by phi nodes only now: a phi node without entries would be simplified to
  // any value.
  for (Argument &argument : loop_->args()) {
    PHINode *phi =
        PHINode::Create(argument.getType(), 2, "", std::next(state.back()->getIterator()));
    argument.replaceAllUsesWith(phi);
    phi->addIncoming(&argument, entry_);
    state.push_back(phi);
  }
  for (User *user : make_early_inc_range(go_on_->users())) {
    auto *call = cast<CallInst>(user);
    for (auto [phi, value] : zip_equal(state, call->args()))
      phi->addIncoming(value, call->getParent());
    call->getParent()->getTerminator()->eraseFromParent();
    BranchInst::Create(head_, call->getIterator());
    call->eraseFromParent();
  }
  go_on_->eraseFromParent();
  // Arguments that no operation changes are replaced by their value.
  for (PHINode *phi : drop_begin(state))
    if (llvm::Value *same = phi->hasConstantValue()) {
      phi->replaceAllUsesWith(same);
      phi->eraseFromParent();
    }
}

} // namespace sartor::compiler
