// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/call_reach.h"

#include "compiler/frontend/analysis/closure.h"

namespace sartor::compiler {

using namespace llvm;

bool CallReach::any(Function &root, function_ref<bool(Function &)> wanted, Functions &visited) {
  SmallVector<Function *> work{&root};
  while (!work.empty()) {
    Function *function = work.pop_back_val();
    if (visited.contains(function))
      continue;
    if (wanted(*function))
      return true;
    visited.insert(function);
    work.append(callees_of(*function));
  }
  return false;
}

void CallReach::forget() { callees_.clear(); }

const CallReach::Callees &CallReach::callees_of(Function &function) {
  const auto [known, is_new] = callees_.try_emplace(&function);
  if (is_new)
    for (Function *callee : called_by(function, or_given_))
      if (!callee->isDeclaration())
        known->second.push_back(callee);
  return known->second;
}

} // namespace sartor::compiler
