// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/fold/which_member.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kWhichMember = "sartor.which.member";
constexpr unsigned kFirstMember = 2;

Function *question_in(Module &module) {
  LLVMContext &context = module.getContext();
  auto *pointer = PointerType::getUnqual(context);
  auto *number = Type::getInt32Ty(context);
  auto *function = cast<Function>(
      module
          .getOrInsertFunction(kWhichMember,
                               FunctionType::get(number, {pointer, number}, /*isVarArg=*/true))
          .getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setDoesNotAccessMemory();
  return function;
}

} // namespace

CallInst *ask_which_member(IRBuilderBase &builder, llvm::Value &function, unsigned web,
                           ArrayRef<Function *> members) {
  SmallVector<llvm::Value *> arguments{&function, builder.getInt32(web)};
  arguments.append(members.begin(), members.end());
  return builder.CreateCall(question_in(*builder.GetInsertBlock()->getModule()), arguments);
}

CallInst *as_which_member(llvm::Value &value) {
  auto *call = dyn_cast<CallInst>(&value);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == kWhichMember ? call : nullptr;
}

llvm::Value &asked_of(const CallInst &question) { return *question.getArgOperand(0); }

unsigned web_of(const CallInst &question) {
  return static_cast<unsigned>(cast<ConstantInt>(question.getArgOperand(1))->getZExtValue());
}

ConstantInt *answer_for(const CallInst &question, const Constant &function) {
  const auto members = drop_begin(question.args(), kFirstMember);
  const auto found = find_if(members, [&](const Use &member) { return member == &function; });
  return ConstantInt::get(cast<IntegerType>(question.getType()),
                          static_cast<std::uint64_t>(std::distance(members.begin(), found)));
}

BasicBlock *way_of_others(const Instruction &branch) {
  if (const auto *choice = dyn_cast<SwitchInst>(&branch))
    return as_which_member(*choice->getCondition()) ? choice->getDefaultDest() : nullptr;
  const auto *choice = dyn_cast<BranchInst>(&branch);
  const auto *compared =
      choice && choice->isConditional() ? dyn_cast<ICmpInst>(choice->getCondition()) : nullptr;
  if (!compared || !compared->isEquality() || !as_which_member(*compared->getOperand(0)))
    return nullptr;
  return choice->getSuccessor(compared->getPredicate() == ICmpInst::ICMP_EQ ? 1 : 0);
}

} // namespace sartor::compiler
