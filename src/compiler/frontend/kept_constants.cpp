// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/kept_constants.h"

#include <string>
#include <utility>

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalVariable.h>

#include "compiler/frontend/goto_labels.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Differences of labels are only known when code is generated, so tables of them are not plain
// data.
bool is_plain_data(const GlobalVariable &variable) {
  return variable.isConstant() && variable.hasLocalLinkage() && variable.hasInitializer() &&
         !variable.isThreadLocal() && !variable.use_empty() &&
         !variable.getInitializer()->needsRelocation() && !holds_labels(*variable.getInitializer());
}

char byte_of(const GlobalVariable &variable, std::uint64_t offset) {
  const auto *byte = dyn_cast_or_null<ConstantInt>(ConstantFoldLoadFromConst(
      const_cast<Constant *>(variable.getInitializer()), Type::getInt8Ty(variable.getContext()),
      APInt(64, offset), variable.getDataLayout()));
  return static_cast<char>(byte ? byte->getZExtValue() : 0); // zero for padding
}

} // namespace

std::vector<core::HandlerModule::Constant> keep_constants(Module &module) {
  std::vector<core::HandlerModule::Constant> kept;
  for (GlobalVariable &variable : module.globals()) {
    if (!is_plain_data(variable))
      continue;
    std::string bytes(module.getDataLayout().getTypeAllocSize(variable.getValueType()), '\0');
    for (std::uint64_t at = 0; at < bytes.size(); ++at)
      bytes[at] = byte_of(variable, at);
    variable.setName(kKeptPrefix + variable.getName());
    variable.setLinkage(GlobalValue::AvailableExternallyLinkage);
    variable.setDSOLocal(false);
    kept.push_back({variable.getName().str(), std::move(bytes),
                    static_cast<std::uint32_t>(variable.getAlign().valueOrOne().value())});
  }
  return kept;
}

} // namespace sartor::compiler
