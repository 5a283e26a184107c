// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/analysis/closure.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/goto_labels.h"
#include "compiler/frontend/marks/call_marks.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/tail_form.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Limit on the instructions in functions that are only referred to: the size of a typical handler.
constexpr unsigned kMostByReference = 1000;
// Limit for the operations of an interpreter in tail-call form, which become one function if the
// interpreter is followed.
constexpr unsigned kMostOperations = 20000;
// Functions called from several places make up most of a large file, and each variant would contain
// copies of all their callees. A function called once has no native code left unless it is large or
// not inlinable; if it is also rarely called, compiling it again is wasted.
constexpr unsigned kWorthSharing = 40;
constexpr unsigned kLarge = 200;

/// The use that an instruction makes of a reference to a function.
enum class Usage {
  calls,  ///< The function is called.
  lends,  ///< The callee does not keep the reference.
  works,  ///< Code of this module may call the function.
  let_out ///< Other code calls the function by its native address, if at all.
};

// True for callees whose declarations do not say that they only call their argument.
bool is_fork(const Function *callee) {
  return callee && callee->getName().starts_with("__kmpc_fork_");
}

Usage usage_of_argument(const CallBase &call, const Use &use) {
  const Function *callee = call.getCalledFunction();
  if (is_mark(call))
    return Usage::works;
  if (!call.isArgOperand(&use))
    return Usage::let_out;
  if (is_fork(callee) || call.doesNotCapture(call.getArgOperandNo(&use)))
    return Usage::lends;
  return callee && !callee->isDeclaration() ? Usage::works : Usage::let_out;
}

Usage usage_of(const Use &use, unsigned depth = 0);

// Classifies the uses of a value computed from the reference: the module may call the function if
// one of them may lead to a call.
Usage usage_of_result(const Instruction &instruction, unsigned depth) {
  constexpr unsigned deepest = 6;
  if (depth == deepest)
    return Usage::works;
  const bool leads_to_a_call = any_of(instruction.uses(), [&](const Use &use) {
    return usage_of(use, depth + 1) != Usage::let_out;
  });
  return leads_to_a_call ? Usage::works : Usage::let_out;
}

Usage usage_of(const Use &use, unsigned depth) {
  const auto *user = dyn_cast<Instruction>(use.getUser());
  if (!user)
    return Usage::works;
  if (const auto *call = dyn_cast<CallBase>(user))
    return call->isCallee(&use) ? Usage::calls : usage_of_argument(*call, use);
  if (const auto *store = dyn_cast<StoreInst>(user))
    return isa<AllocaInst>(getUnderlyingObject(store->getPointerOperand())) ? Usage::works
                                                                            : Usage::let_out;
  if (isa<ReturnInst, CmpInst>(user))
    return Usage::let_out;
  return user->getType()->isVoidTy() ? Usage::works : usage_of_result(*user, depth);
}

/// Collects the functions and variables that constants refer to, also through the contents of
/// constant variables and of tables of labels. Tables of labels are copied even if the source does
/// not declare them constant.
class Named {
public:
  void add(const Constant &constant) {
    SmallVector<const Constant *> work{&constant};
    while (!work.empty()) {
      const Constant *part = work.pop_back_val();
      if (isa<BlockAddress>(part) || !seen_.insert(part).second)
        continue;
      if (auto *function = dyn_cast<Function>(part)) {
        functions.insert(const_cast<Function *>(function));
        continue;
      }
      if (const auto *variable = dyn_cast<GlobalVariable>(part)) {
        variables.insert(variable);
        if (!variable->isConstant() &&
            !(variable->hasInitializer() && holds_labels(*variable->getInitializer())))
          continue;
      }
      for (const Use &operand : part->operands())
        if (const auto *inner = dyn_cast<Constant>(operand))
          work.push_back(inner);
    }
  }

  SetVector<Function *> functions;
  SetVector<const GlobalVariable *> variables;

private:
  SmallPtrSet<const Constant *, 32> seen_;
};

template <class Wanted> void add_names(Named &named, const Function &function, Wanted wanted) {
  for (const Instruction &instruction : instructions(function))
    for (const Use &operand : instruction.operands())
      if (const auto *constant = dyn_cast<Constant>(operand); constant && wanted(usage_of(operand)))
        named.add(*constant);
}

bool is_called(Usage usage) { return usage == Usage::calls || usage == Usage::lends; }

// A call of the argument becomes direct once the callee is inlined.
bool is_given_to_known(const Use &use) {
  const auto *call = dyn_cast<CallBase>(use.getUser());
  return call && call->isArgOperand(&use) && usage_of(use) == Usage::works;
}

SetVector<Function *> reached_from(const Function &function) {
  if (!native_only_reason(function).empty())
    return {};
  Named named;
  add_names(named, function, [](Usage usage) { return usage != Usage::let_out; });
  return std::move(named.functions);
}

template <class Next> SetVector<Function *> closure(ArrayRef<Function *> roots, Next next) {
  SetVector<Function *> found(roots.begin(), roots.end());
  for (unsigned i = 0; i < found.size(); ++i)
    for (Function *function : next(*found[i]))
      if (!function->isDeclaration())
        found.insert(function);
  return found;
}

bool has_marks(Function &function) {
  return is_call_point(function) || !points_of(function).empty() ||
         !const_assertions_of(function).empty() || !stays_of(function).empty() ||
         !one_ofs_of(function).empty();
}

// Returns a function that is referred to, and its callees with local linkage, which have no native
// code to call.
SetVector<Function *> with_own_callees(Function &root) {
  return closure(&root, [](Function &function) {
    SetVector<Function *> own = called_by(function);
    own.remove_if([](Function *callee) { return !callee->hasLocalLinkage(); });
    return own;
  });
}

/// Records functions that must pass on to others, and recognizes the other operations of the same
/// interpreters in tail-call form.
class TailForms {
public:
  void meet(const Function &function) {
    if (must_pass_on(function))
      met_.push_back(&function);
  }
  [[nodiscard]] bool has_operation(const Function &function) const {
    return any_of(met_, [&](const Function *met) { return are_called_alike(*met, function); });
  }

private:
  std::vector<const Function *> met_;
};

unsigned size_of(const SetVector<Function *> &functions, const SetVector<Function *> &known) {
  unsigned size = 0;
  for (const Function *function : functions)
    if (!known.contains(const_cast<Function *>(function)))
      size += function->getInstructionCount();
  return size;
}

} // namespace

bool stays_inside(const Use &use) {
  return isa<Instruction>(use.getUser()) && is_called(usage_of(use));
}

SetVector<Function *> called_by(const Function &function, bool or_given) {
  SetVector<Function *> called;
  for (const Instruction &instruction : instructions(function))
    for (const Use &operand : instruction.operands())
      if (auto *callee = dyn_cast<Function>(operand);
          callee && (is_called(usage_of(operand)) || (or_given && is_given_to_known(operand))))
        called.insert(callee);
  return called;
}

SetVector<Function *> called_functions(Function &root) {
  return closure(&root, [](Function &function) { return called_by(function); });
}

const SetVector<Function *> &References::from(const Function &function) {
  const auto [known, is_new] = known_.try_emplace(&function);
  if (is_new)
    known->second = reached_from(function);
  return known->second;
}

SetVector<Function *> reachable_functions(Function &root, References &references) {
  SetVector<Function *> found =
      closure(&root, [&](Function &function) { return references.from(function); });
  found.remove_if([&](Function *function) {
    return function != &root && !native_only_reason(*function).empty();
  });
  return found;
}

SetVector<Function *> reachable_functions(Function &root) {
  References references;
  return reachable_functions(root, references);
}

bool is_worth_sharing(const Function &function) {
  const unsigned size = function.getInstructionCount();
  const bool is_rare =
      function.hasFnAttribute(Attribute::Cold) && function.hasFnAttribute(Attribute::NoInline);
  return is_rare || size > kLarge || (size > kWorthSharing && function.hasNUsesOrMore(2));
}

SetVector<Function *>
functions_reaching_points(Module &module, function_ref<bool(const Function &)> may_stay_native) {
  References references;
  DenseMap<Function *, SmallVector<Function *, 4>> reached_by;
  SetVector<Function *> reaching;
  for (Function &function : module) {
    for (Function *reached : references.from(function))
      reached_by[reached].push_back(&function);
    if (has_marks(function))
      reaching.insert(&function);
  }
  // Functions that are followed come before the handlers that they call.
  SmallVector<Function *> handlers;
  unsigned considered = 0;
  const auto follow = [&](function_ref<bool(const Function &)> stays_native) {
    for (; considered < reaching.size(); ++considered) {
      Function *reached = reaching[considered];
      if (is_handler(*reached)) {
        handlers.push_back(reached);
        continue;
      }
      for (Function *function : reached_by[reached])
        if (!stays_native(*function))
          reaching.insert(function);
    }
  };
  follow([](const Function &) { return false; });
  for (unsigned i = 0; i < handlers.size(); ++i) {
    const SetVector<Function *> within = reachable_functions(*handlers[i], references);
    const auto stays_native = [&](const Function &function) {
      return within.contains(const_cast<Function *>(&function)) && !is_handler(function) &&
             may_stay_native(function);
    };
    for (Function *function : reached_by[handlers[i]])
      if (!stays_native(*function))
        reaching.insert(function);
    follow(stays_native);
  }
  return reaching;
}

bool names_label_outside(const GlobalVariable &variable, const SetVector<Function *> &functions) {
  return variable.hasInitializer() &&
         holds_label(*variable.getInitializer(), [&](const BlockAddress &label) {
           return !functions.contains(label.getFunction());
         });
}

Needed needed_by(ArrayRef<Function *> roots, ArrayRef<const GlobalVariable *> tables,
                 bool much_is_inlined) {
  Needed needed;
  needed.functions =
      closure(roots, [&](Function &function) { return called_by(function, much_is_inlined); });
  Named named;
  for (const GlobalVariable *table : tables)
    named.add(*table);
  TailForms forms;
  unsigned room_for_others = kMostByReference;
  unsigned room_for_operations = kMostOperations;
  unsigned considered = 0;
  for (unsigned i = 0; i < needed.functions.size() || considered < named.functions.size(); ++i) {
    if (i < needed.functions.size())
      add_names(named, *needed.functions[i], [](Usage) { return true; });
    for (; considered < named.functions.size(); ++considered) {
      Function *referred = named.functions[considered];
      if (referred->isDeclaration() || needed.functions.contains(referred))
        continue;
      const auto with_callees = with_own_callees(*referred);
      const unsigned size = size_of(with_callees, needed.functions);
      if (much_is_inlined)
        forms.meet(*referred);
      unsigned &room = forms.has_operation(*referred) ? room_for_operations : room_for_others;
      if (size > room)
        continue;
      room -= size;
      needed.functions.insert(with_callees.begin(), with_callees.end());
    }
  }
  needed.variables = std::move(named.variables);
  needed.variables.remove_if([&](const GlobalVariable *variable) {
    return names_label_outside(*variable, needed.functions);
  });
  return needed;
}

} // namespace sartor::compiler
