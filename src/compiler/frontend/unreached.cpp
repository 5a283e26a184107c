// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/unreached.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstrTypes.h>

#include "compiler/frontend/native_only.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/readable.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

std::string name_of(const Function &function) { return readable(function) + "()"; }

/// The uses of a function, also through constants.
struct Uses {
  const Function *caller = nullptr;
  const GlobalVariable *table = nullptr;
  bool is_given_away = false;
};

Uses uses_of(const Function &function) {
  Uses uses;
  SmallSetVector<const User *, 8> users(function.user_begin(), function.user_end());
  for (unsigned i = 0; i < users.size(); ++i) {
    const User *user = users[i];
    const auto *call = dyn_cast<CallBase>(user);
    if (call && call->getCalledFunction() == &function)
      uses.caller = call->getFunction();
    else if (const auto *table = dyn_cast<GlobalVariable>(user))
      uses.table = table->getName().starts_with("llvm.") ? uses.table : table;
    else if (isa<Constant>(user))
      users.insert(user->user_begin(), user->user_end());
    else
      uses.is_given_away = true;
  }
  return uses;
}

} // namespace

std::string why_unreached(const Function &function) {
  const std::string name = name_of(function);
  if (const std::string reason = native_only_reason(function); !reason.empty())
    return name + " " + reason;
  const Uses uses = uses_of(function);
  if (uses.table)
    return name + (uses.table->getName().starts_with("_ZTV")
                       ? " is virtual, and no handler calls it on an object whose type is known"
                       : " is called through a table, and no handler's code says which entry");
  if (uses.is_given_away)
    return "the address of " + name + " is stored or given to other code, which calls it";
  if (uses.caller)
    return name + " is called by " + name_of(*uses.caller) + ", which no handler reaches";
  return "nothing in the files with handlers calls " + name + " by name";
}

} // namespace sartor::compiler
