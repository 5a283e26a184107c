// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/kernel/kernel.h"

#include <cstdint>

#include <llvm/ADT/StringRef.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "compiler/frontend/kernel/map_writes.h"
#include "compiler/frontend/llvm_version.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/prepare.h"
#include "core/request/kernel_map_kind.h"

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

namespace {

const DIType *without_qualifiers(const DIType *type) {
  const auto *derived = dyn_cast_or_null<DIDerivedType>(type);
  while (derived && derived->getTag() != dwarf::DW_TAG_pointer_type) {
    type = derived->getBaseType();
    derived = dyn_cast_or_null<DIDerivedType>(type);
  }
  return type;
}

/// Returns the pointee of the pointer member `name` of a map's declaration; null if there is none.
const DIType *pointee(const DICompositeType &declaration, StringRef name) {
  for (const DINode *element : declaration.getElements()) {
    const auto *member = dyn_cast<DIDerivedType>(element);
    if (!member || member->getName() != name)
      continue;
    const auto *pointer = dyn_cast_or_null<DIDerivedType>(without_qualifiers(member));
    return pointer ? without_qualifiers(pointer->getBaseType()) : nullptr;
  }
  return nullptr;
}

/// Reads `__uint(name, number)`: a pointer to an array with that number of elements.
std::optional<std::uint64_t> number(const DICompositeType &declaration, StringRef name) {
  const auto *array = dyn_cast_or_null<DICompositeType>(pointee(declaration, name));
  if (!array || array->getElements().size() != 1)
    return std::nullopt;
  const auto *range = dyn_cast<DISubrange>(array->getElements()[0]);
  const auto count = range ? range->getCount() : DISubrange::BoundType();
  const auto *constant = dyn_cast_if_present<ConstantInt *>(count);
  return constant ? std::optional(constant->getZExtValue()) : std::nullopt;
}

/// Reads `__type(name, type)` or `__uint(name_size, bytes)`.
std::uint32_t bytes_of(const DICompositeType &declaration, const std::string &name) {
  if (const DIType *type = pointee(declaration, name))
    return static_cast<std::uint32_t>(type->getSizeInBits() / 8);
  return static_cast<std::uint32_t>(number(declaration, name + "_size").value_or(0));
}

} // namespace

std::optional<core::KernelMap> kernel_map_of(const GlobalVariable &variable) {
  SmallVector<DIGlobalVariableExpression *, 1> found;
  variable.getDebugInfo(found);
  if (variable.getSection() != ".maps" || found.empty())
    return std::nullopt;
  const auto *declaration = dyn_cast_or_null<DICompositeType>(
      without_qualifiers(found.front()->getVariable()->getType()));
  const auto type = declaration ? number(*declaration, "type") : std::nullopt;
  const auto kind = type ? core::kernel_map_kind(*type) : std::nullopt;
  if (!kind)
    return std::nullopt;
  core::KernelMap map;
  map.kind = *kind;
  map.key_bytes = bytes_of(*declaration, "key");
  map.value_bytes = bytes_of(*declaration, "value");
  return map;
}

} // namespace sartor::compiler
