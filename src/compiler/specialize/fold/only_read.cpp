// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/fold/only_read.h"

#include <optional>

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

/// Returns what points to the same memory after this use; null if the use only reads. Nothing if it
/// does something else.
std::optional<llvm::Value *> passed_on(const Use &use) {
  User *user = use.getUser();
  if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst>(user))
    return user;
  if (const auto *load = dyn_cast<LoadInst>(user))
    return load->isSimple() ? std::optional<llvm::Value *>(nullptr) : std::nullopt;
  const auto *call = dyn_cast<CallBase>(user);
  if (!call || !call->isArgOperand(&use))
    return std::nullopt;
  const unsigned index = call->getArgOperandNo(&use);
  if (const auto *copying = dyn_cast<MemTransferInst>(user))
    return index == 1 && !copying->isVolatile() ? std::optional<llvm::Value *>(nullptr)
                                                : std::nullopt;
  if (call->isPassPointeeByValueArgument(index))
    return nullptr;
  Function *callee = call->getCalledFunction();
  if (!callee || !callee->hasExactDefinition() || callee->isVarArg() ||
      callee->getFunctionType() != call->getFunctionType())
    return std::nullopt;
  return callee->getArg(index);
}

} // namespace

bool is_only_read(Argument &argument) {
  SmallSetVector<llvm::Value *, 16> pointers;
  pointers.insert(&argument);
  for (unsigned i = 0; i < pointers.size(); ++i)
    for (const Use &use : pointers[i]->uses()) {
      const auto next = passed_on(use);
      if (!next)
        return false;
      if (*next)
        pointers.insert(*next);
    }
  return true;
}

} // namespace sartor::compiler
