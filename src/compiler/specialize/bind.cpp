// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/bind.h"

#include <llvm/IR/IRBuilder.h>

#include "compiler/frontend/copy_function.h"
#include "compiler/frontend/parameters.h"
#include "compiler/frontend/prepare.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

void leave_recursion_unbound(Function &entry, bool is_native_elsewhere) {
  if (entry.use_empty())
    return;
  Function *unbound = compiler::copy_function(entry);
  if (Function *native = is_native_elsewhere ? compiler::declare_native(entry) : nullptr) {
    unbound->setLinkage(GlobalValue::AvailableExternallyLinkage);
    unbound->setDSOLocal(false);
    native->replaceAllUsesWith(unbound);
    unbound->takeName(native);
    native->eraseFromParent();
  } else {
    unbound->setLinkage(GlobalValue::InternalLinkage);
    unbound->setName(entry.getName() + " (unbound)");
  }
  entry.replaceAllUsesWith(unbound);
}

// Creates a copy per call, because the function may change its copy and pass its address on. If it
// does not, optimization removes the copy.
llvm::Value *make_copy(Argument &argument, const FixedArgument &bound) {
  GlobalVariable *contents =
      compiler::make_contents(*argument.getParent()->getParent(), bound, argument);
  IRBuilder<> builder(&*argument.getParent()->getEntryBlock().getFirstInsertionPt());
  AllocaInst *copy = builder.CreateAlloca(argument.getParamByValType());
  const Align alignment = std::max(copy->getAlign(), argument.getParamAlign().valueOrOne());
  copy->setAlignment(alignment);
  builder.CreateMemCpy(copy, alignment, contents, contents->getAlign(),
                       bound.value->getType()->getArrayNumElements());
  return copy;
}

// True for a side exit to native code, inserted by an earlier stage: it passes the function's own
// arguments, because a copy on its stack would no longer exist.
bool side_exits_to_native(const Use &use) {
  const auto *call = dyn_cast<CallInst>(use.getUser());
  const Function *callee = call && call->isMustTailCall() ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == compiler::native_name(*call->getFunction());
}

} // namespace

std::vector<unsigned> bind_arguments(Function &entry,
                                     const std::map<unsigned, BoundArgument> &arguments,
                                     bool is_native_elsewhere) {
  std::vector<unsigned> unused;
  for (const auto &parameter : arguments)
    if (all_of(compiler::fixed_arguments(entry, {parameter}),
               [&](const auto &fixed) { return entry.getArg(fixed.first)->use_empty(); }))
      unused.push_back(parameter.first);
  if (!arguments.empty())
    leave_recursion_unbound(entry, is_native_elsewhere);
  for (const auto &[number, bound] : compiler::fixed_arguments(entry, arguments)) {
    Argument &argument = *entry.getArg(number);
    if (argument.use_empty())
      continue;
    llvm::Value *by = bound.is_in_memory ? make_copy(argument, bound) : bound.value;
    argument.replaceUsesWithIf(by, [&](const Use &use) { return !side_exits_to_native(use); });
  }
  return unused;
}

} // namespace sartor::compiler
