// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/fold/reads.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "compiler/frontend/prepare.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Limit on the depth of calls.
constexpr unsigned kDeepestCalls = 4;
constexpr unsigned kMostUses = 2000;

} // namespace

bool Reads::by(Function &function, unsigned parameter, std::uintptr_t address) {
  return look(function, parameter, address, 0);
}

void Reads::forget(const Function &function) {
  auto known = known_.lower_bound({&function, 0, 0});
  while (known != known_.end() && std::get<0>(known->first) == &function)
    known = known_.erase(known);
}

bool Reads::look(Function &function, unsigned parameter, std::uintptr_t address, unsigned depth) {
  if (function.isDeclaration() || parameter >= function.arg_size())
    return false;
  if (depth == kDeepestCalls)
    return regions_.any_near(address);
  const std::tuple key(&function, parameter, address);
  // A recursive call adds nothing new.
  const auto [known, is_new] = known_.try_emplace(key, false);
  if (!is_new)
    return known->second;
  SmallVector<std::pair<llvm::Value *, std::uintptr_t>> work{{function.getArg(parameter), address}};
  bool found = false;
  unsigned uses = 0;
  while (!work.empty() && !found) {
    const auto [pointer, at] = work.pop_back_val();
    for (const Use &use : pointer->uses())
      found = found || ++uses > kMostUses || look_at_use(use, at, depth, work);
  }
  known_[key] = found;
  return found;
}

bool Reads::look_at_use(const Use &use, std::uintptr_t address, unsigned depth,
                        SmallVectorImpl<std::pair<llvm::Value *, std::uintptr_t>> &work) {
  auto *user = dyn_cast<Instruction>(use.getUser());
  if (!user)
    return false;
  const DataLayout &layout = user->getDataLayout();
  if (const auto *load = dyn_cast<LoadInst>(user))
    return regions_.overlaps(address, layout.getTypeStoreSize(load->getType()).getKnownMinValue());
  if (isa<StoreInst, CmpInst, ReturnInst>(user))
    return false;
  if (auto *element = dyn_cast<GEPOperator>(user)) {
    APInt offset(layout.getIndexTypeSizeInBits(element->getType()), 0);
    if (use.getOperandNo() != 0 || !element->accumulateConstantOffset(layout, offset))
      return regions_.any_near(address);
    work.push_back({user, address + offset.getSExtValue()});
    return false;
  }
  if (isa<FreezeInst, AddrSpaceCastInst, BitCastInst>(user)) {
    work.push_back({user, address});
    return false;
  }
  if (isa<CallBase>(user))
    return look_at_call(use, address, depth);
  return regions_.any_near(address); // a loop, a select, or a number
}

bool Reads::look_at_call(const Use &use, std::uintptr_t address, unsigned depth) {
  auto *call = cast<CallBase>(use.getUser());
  if (call->isLifetimeStartOrEnd() || call->isDroppable())
    return false;
  Function *callee = call->getCalledFunction();
  if (!callee || !call->isArgOperand(&use))
    return false; // the address is unknown
  if (callee->isIntrinsic() || callee->hasFnAttribute(compiler::kFoldAttribute))
    return regions_.any_near(address);
  return look(*callee, call->getArgOperandNo(&use), address, depth + 1);
}

} // namespace sartor::compiler
