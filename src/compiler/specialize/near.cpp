// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/near.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

// Functions with native code are kept for inlining up to this total number of instructions,
// including those of functions without native code that they need; and up to this number for one
// function, because larger ones are rarely inlined.
constexpr unsigned kMostNear = 3000;
constexpr unsigned kMostOfOne = 200;

// Returns functions with bodies that the code refers to, also through constant tables.
SetVector<Function *> named_in(Function &function) {
  SetVector<Function *> found;
  SetVector<const llvm::Value *> seen;
  for (Instruction &instruction : instructions(function))
    for (Use &operand : instruction.operands())
      if (isa<Constant>(operand.get()))
        seen.insert(operand.get());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const auto *constant = cast<Constant>(seen[i]);
    if (const auto *other = dyn_cast<Function>(constant)) {
      if (!other->isDeclaration())
        found.insert(const_cast<Function *>(other));
      continue;
    }
    if (const auto *variable = dyn_cast<GlobalVariable>(constant);
        isa<BlockAddress>(constant) || (variable && !variable->isConstant()))
      continue;
    for (const Use &part : constant->operands())
      if (isa<Constant>(part.get()))
        seen.insert(part.get());
  }
  return found;
}

// Returns a function with all local functions that it needs.
SetVector<Function *> with_own(Function &function) {
  SetVector<Function *> found;
  found.insert(&function);
  for (std::size_t i = 0; i < found.size(); ++i)
    for (Function *other : named_in(*found[i]))
      if (other->hasLocalLinkage())
        found.insert(other);
  return found;
}

unsigned size_of(const SetVector<Function *> &functions, const SetVector<Function *> &known) {
  unsigned size = 0;
  for (Function *function : functions)
    if (!known.contains(function))
      size += function->getInstructionCount();
  return size;
}

} // namespace

std::vector<Function *> leave_far_functions(Module &module, const std::vector<Function *> &roots) {
  SetVector<Function *> near;
  for (Function *root : roots) {
    const auto own = with_own(*root);
    near.insert(own.begin(), own.end());
  }
  unsigned size = 0;
  for (std::size_t i = 0; i < near.size(); ++i)
    for (Function *function : named_in(*near[i])) {
      if (near.contains(function) || function->hasFnAttribute(Attribute::Cold))
        continue;
      const auto own = with_own(*function);
      const unsigned more = size_of(own, near);
      if (function->hasAvailableExternallyLinkage() &&
          !function->hasFnAttribute(Attribute::AlwaysInline) &&
          (more > kMostOfOne || size + more > kMostNear))
        continue;
      size += more;
      near.insert(own.begin(), own.end());
    }
  std::vector<Function *> left;
  for (Function &function : module)
    if (function.hasAvailableExternallyLinkage() && !near.contains(&function)) {
      function.deleteBody();
      left.push_back(&function);
    }
  return left;
}

} // namespace sartor::compiler
