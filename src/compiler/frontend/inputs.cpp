// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/inputs.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

#include "core/space/readable_name.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// The largest number of words that a memo entry of a fast path stores as inputs.
constexpr std::size_t kMostInputs = 4;

/// Follows a pointer to the objects that it may point into, also through calls that pass it as an
/// argument.
class Origin {
public:
  bool is_stack(const llvm::Value &pointer) {
    SmallVector<const llvm::Value *> objects;
    getUnderlyingObjects(&pointer, objects);
    return any_of(objects, [&](const llvm::Value *object) {
      if (isa<AllocaInst>(object))
        return true;
      const auto *parameter = dyn_cast<Argument>(object);
      return parameter && seen_.insert(parameter).second &&
             (parameter->hasPassPointeeByValueCopyAttr() || is_stack_for_any_caller(*parameter));
    });
  }

private:
  bool is_stack_for_any_caller(const Argument &parameter) {
    const Function *function = parameter.getParent();
    return any_of(function->users(), [&](const User *user) {
      const auto *call = dyn_cast<CallBase>(user);
      return call && call->getCalledFunction() == function &&
             parameter.getArgNo() < call->arg_size() &&
             is_stack(*call->getArgOperand(parameter.getArgNo()));
    });
  }

  SmallPtrSet<const Argument *, 8> seen_;
};

} // namespace

std::string inputs_problem(Function &wrapper, const CallMark &mark) {
  if (mark.arguments.empty() || mark.arguments.size() > kMostInputs)
    return "it takes " + std::to_string(mark.arguments.size()) + " arguments, not 1 to " +
           std::to_string(kMostInputs);
  for (unsigned i = 0; i < mark.arguments.size(); ++i)
    if (wrapper.getArg(i)->getType()->isPointerTy() && Origin().is_stack(*wrapper.getArg(i)))
      return "argument " + std::to_string(i + 1) + " of " + core::readable_name(mark.function) +
             "() may point to a local variable, and answers are remembered by its address, which "
             "says nothing of what it holds; pass the value itself";
  return "";
}

} // namespace sartor::compiler
