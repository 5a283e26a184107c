// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/fold/constant_objects.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>

namespace sartor::compiler {

using namespace llvm;

ConstantObjects::ConstantObjects(const Module &module,
                                 const std::map<std::string, void *, std::less<>> &symbols)
    : layout_(module.getDataLayout()) {
  for (const GlobalVariable &variable : module.globals()) {
    if (!variable.isConstant() || !variable.hasDefinitiveInitializer() ||
        variable.hasLocalLinkage() || variable.isThreadLocal())
      continue;
    const auto known = symbols.find(std::string_view(variable.getName()));
    if (known != symbols.end() && known->second)
      objects_.emplace(reinterpret_cast<std::uintptr_t>(known->second),
                       Object{&variable, layout_.getTypeAllocSize(variable.getValueType())});
  }
}

ConstantObjects::Objects::const_iterator ConstantObjects::find(std::uintptr_t address) const {
  const auto after = objects_.upper_bound(address);
  if (after == objects_.begin())
    return objects_.end();
  const auto found = std::prev(after);
  return address - found->first < found->second.size ? found : objects_.end();
}

Constant *ConstantObjects::load(std::uintptr_t address, Type &type) const {
  const auto found = find(address);
  if (found == objects_.end())
    return nullptr;
  const std::uint64_t offset = address - found->first;
  if (offset + layout_.getTypeStoreSize(&type).getKnownMinValue() > found->second.size)
    return nullptr;
  return ConstantFoldLoadFromConst(const_cast<Constant *>(found->second.variable->getInitializer()),
                                   &type, APInt(layout_.getPointerSizeInBits(), offset), layout_);
}

std::vector<const GlobalVariable *>
ConstantObjects::pointed_to_by(const std::vector<core::Region> &regions) const {
  SetVector<const GlobalVariable *> found;
  for (const core::Region &region : regions)
    if (region.bytes)
      for_each_word(*region.bytes, region.address, layout_.getPointerSize(),
                    [&](std::uint64_t word) {
                      if (const auto object = find(word); object != objects_.end())
                        found.insert(object->second.variable);
                    });
    else // its content is unknown, so it may point to any
      for (const auto &[address, object] : objects_)
        found.insert(object.variable);
  return {found.begin(), found.end()};
}

} // namespace sartor::compiler
