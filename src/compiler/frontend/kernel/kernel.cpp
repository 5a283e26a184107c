// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/kernel/kernel.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "compiler/frontend/kernel/map_writes.h"
#include "compiler/frontend/llvm_version.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/simplify.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// LLVM assumes that such a variable keeps its initial value.
bool is_only_read(const GlobalVariable &variable) {
  return variable.hasLocalLinkage() && all_of(variable.users(), [](const User *user) {
           const auto *load = dyn_cast<LoadInst>(user);
           return load && !load->isVolatile();
         });
}

// Marks variables that no code writes as constant, for example the variables that represent helper
// functions by number in libbpf's headers.
void make_unwritten_constant(Module &module) {
  for (GlobalVariable &variable : module.globals())
    if (!variable.isDeclaration() && !variable.hasSection() && is_only_read(variable))
      variable.setConstant(true);
}

// Handles variables that a program sets before it loads the object (`const volatile` in the
// source): they are constant at run time, but their initializers in this module are not their
// values.
void read_settings_as_constants(Module &module) {
  for (GlobalVariable &variable : module.globals()) {
    if (!variable.isConstant() || variable.hasLocalLinkage() || variable.isDeclaration())
      continue;
    SmallVector<User *> users(variable.users());
    bool is_setting = false;
    for (std::size_t i = 0; i < users.size(); ++i)
      if (auto *load = dyn_cast<LoadInst>(users[i])) {
        is_setting |= load->isVolatile();
        load->setVolatile(false);
      } else if (isa<GEPOperator>(users[i])) {
        users.append(users[i]->user_begin(), users[i]->user_end());
      }
    variable.setExternallyInitialized(is_setting);
  }
}

} // namespace

bool is_for_kernel(const Module &module) { return triple_of(module).isBPF(); }

Result<void> adopt_kernel_module(Module &module) {
  name_handlers(module);
  if (GlobalVariable *annotations = module.getGlobalVariable("llvm.global.annotations"))
    annotations->eraseFromParent();
  if (auto raised = raise_marks(module); !raised)
    return raised;
  // Only a debugger needs the locations of source variables.
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      instruction.dropDbgRecords();
  read_settings_as_constants(module);
  make_unwritten_constant(module);
  simplify(module);
  mark_lookups(module);
  guard_map_writes(module);
  return {};
}

bool has_kernel_place(const GlobalVariable &variable) {
  if (variable.isDeclaration() || variable.getName().starts_with("llvm."))
    return false;
  return variable.hasSection() || !variable.hasLocalLinkage() ||
         !(variable.isConstant() || is_only_read(variable));
}

void keep_kernel_places(Module &module) {
  SmallVector<GlobalValue *> kept;
  for (GlobalVariable &variable : module.globals())
    if (has_kernel_place(variable))
      kept.push_back(&variable);
  appendToCompilerUsed(module, kept); // the other variables get sections of their own
}

} // namespace sartor::compiler
