// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/kernel/kernel_map.h"

#include <cstdint>

#include <llvm/ADT/StringRef.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include "core/request/kernel_map_kind.h"

namespace sartor::compiler {

using namespace llvm;

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
