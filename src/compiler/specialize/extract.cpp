// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/extract.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>

#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/clone.h"
#include "compiler/frontend/kernel/kernel.h"
#include "compiler/specialize/fold/constant_objects.h"
#include "compiler/specialize/kernel/kernel_maps.h"
#include "compiler/specialize/regions.h"

namespace sartor::compiler {

using namespace llvm;

std::set<std::string> PointedTo::names() const {
  std::set<std::string> names;
  for (const Function *function : functions)
    names.insert(function->getName().str());
  for (const GlobalVariable *table : tables)
    names.insert(table->getName().str());
  return names;
}

PointedTo pointed_to_by(const std::vector<core::Region> &regions,
                        const std::map<std::string, void *, std::less<>> &symbols,
                        Module &prepared) {
  return {functions_in(regions, symbols, prepared),
          ConstantObjects(prepared, symbols).pointed_to_by(regions)};
}

PointedTo pointed_to_by(const std::set<std::string> &names, Module &prepared) {
  PointedTo pointed_to;
  for (const std::string &name : names)
    if (GlobalValue *named = prepared.getNamedValue(name);
        auto *function = dyn_cast<Function>(named))
      pointed_to.functions.push_back(function);
    else
      pointed_to.tables.push_back(cast<GlobalVariable>(named));
  return pointed_to;
}

namespace {

// The kernel has no native half: everything that the handler refers to is copied, and variables
// stay where the source has them.
std::unique_ptr<Module> extract_for_kernel(Module &prepared, Function &handler,
                                           const std::string &symbol) {
  ValueToValueMapTy map;
  auto module = compiler::clone_module(prepared, map);
  auto *copy = cast<Function>(map.lookup(&handler));
  for (const char *list : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *used = module->getGlobalVariable(list))
      used->eraseFromParent();
  // The verifier checks each non-static function separately, so LLVM must not remove checks based
  // on what its callers pass. Code that the handler does not reach is removed.
  const SetVector<Function *> reached = named_from(*copy);
  for (Function &function : *module)
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      function.setLinkage(reached.contains(&function) ? GlobalValue::ExternalLinkage
                                                      : GlobalValue::InternalLinkage);
  copy->setName(symbol);
  copy->setLinkage(GlobalValue::ExternalLinkage);
  bool erased = true;
  while (erased) {
    erased = false;
    for (Function &function : make_early_inc_range(*module))
      if (&function != copy && function.use_empty()) {
        function.eraseFromParent();
        erased = true;
      }
  }
  for (GlobalVariable &variable : make_early_inc_range(module->globals())) {
    variable.removeDeadConstantUsers();
    if (variable.use_empty() && !compiler::has_kernel_place(variable))
      variable.eraseFromParent();
  }
  return module;
}

} // namespace

std::unique_ptr<Module> extract(Module &prepared, Function &handler, const PointedTo &pointed_to,
                                bool much_is_inlined, const std::string &symbol) {
  if (compiler::is_for_kernel(prepared))
    return extract_for_kernel(prepared, handler, symbol);
  std::vector<Function *> roots = pointed_to.functions;
  roots.insert(roots.begin(), &handler);
  const auto &tables = pointed_to.tables;
  const Needed needed = compiler::needed_by(roots, tables, much_is_inlined);
  ValueToValueMapTy map;
  auto module = compiler::clone_module(prepared, map, [&](const GlobalValue *value) {
    if (const auto *function = dyn_cast<Function>(value))
      return needed.functions.contains(const_cast<Function *>(function));
    const auto *variable = dyn_cast<GlobalVariable>(value);
    return variable && needed.variables.contains(variable);
  });
  auto *copy = cast<Function>(map.lookup(&handler));
  copy->setName(symbol);
  copy->setLinkage(GlobalValue::ExternalLinkage);
  for (Function &function : make_early_inc_range(*module))
    if (function.isDeclaration() && function.use_empty())
      function.eraseFromParent();
  auto is_table = [&](const GlobalVariable &variable) {
    return any_of(tables,
                  [&](const GlobalVariable *table) { return map.lookup(table) == &variable; });
  };
  for (GlobalVariable &variable : make_early_inc_range(module->globals())) {
    variable.removeDeadConstantUsers();
    if (variable.use_empty() && !is_table(variable))
      variable.eraseFromParent();
  }
  return module;
}

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
