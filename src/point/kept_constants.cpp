// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/kept_constants.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalVariable.h>

namespace sartor::point {

using namespace llvm;

namespace {

// Variants go by and by, and nobody knows who has which address.
std::byte *memory_for_ever(std::size_t size, Align alignment) {
  static std::mutex mutex;
  static auto &blocks = *new std::vector<std::byte *>;
  const std::size_t step = std::max<std::size_t>(alignment.value(), sizeof(void *));
  auto *block = static_cast<std::byte *>(std::aligned_alloc(step, (size + step - 1) / step * step));
  const std::lock_guard lock(mutex);
  blocks.push_back(block);
  return block;
}

bool is_plain_data(const GlobalVariable &variable) {
  return variable.isConstant() && variable.hasLocalLinkage() && variable.hasInitializer() &&
         !variable.isThreadLocal() && !variable.use_empty() &&
         !variable.getInitializer()->needsRelocation();
}

std::byte byte_of(const GlobalVariable &variable, std::uint64_t offset) {
  const auto *byte = dyn_cast_or_null<ConstantInt>(ConstantFoldLoadFromConst(
      const_cast<Constant *>(variable.getInitializer()), Type::getInt8Ty(variable.getContext()),
      APInt(64, offset), variable.getDataLayout()));
  return static_cast<std::byte>(byte ? byte->getZExtValue() : 0); // padding
}

} // namespace

std::map<std::string, void *> keep_constants(Module &module) {
  std::map<std::string, void *> kept;
  for (GlobalVariable &variable : module.globals()) {
    if (!is_plain_data(variable))
      continue;
    const std::uint64_t size = module.getDataLayout().getTypeAllocSize(variable.getValueType());
    std::byte *place = memory_for_ever(size, variable.getAlign().valueOrOne());
    for (std::uint64_t at = 0; at < size; ++at)
      place[at] = byte_of(variable, at);
    variable.setName("sartor.kept." + variable.getName());
    variable.setLinkage(GlobalValue::AvailableExternallyLinkage);
    variable.setDSOLocal(false);
    kept.emplace(variable.getName().str(), place);
  }
  return kept;
}

} // namespace sartor::point
