// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include "point/call_marks.h"
#include "point/marks.h"
#include "point/prepare.h"

namespace sartor::point {

using namespace llvm;

namespace {

bool has_marks(Function &function) {
  return is_call_point(function) || !points_of(function).empty() ||
         !const_assertions_of(function).empty();
}

} // namespace

SetVector<Function *> functions_reaching_points(Module &module) {
  SetVector<Function *> reaching;
  for (Function &function : module)
    if (has_marks(function))
      reaching.insert(&function);
  for (unsigned i = 0; i < reaching.size(); ++i)
    for (User *user : reaching[i]->users())
      if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == reaching[i])
        reaching.insert(call->getFunction());
  return reaching;
}

SetVector<Function *> reachable_functions(Function &root) {
  SetVector<Function *> reachable;
  reachable.insert(&root);
  for (unsigned i = 0; i < reachable.size(); ++i)
    for (Instruction &instruction : instructions(reachable[i]))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Function *callee = call->getCalledFunction(); callee && !callee->isDeclaration())
          reachable.insert(callee);
  return reachable;
}

} // namespace sartor::point
