// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/loads_left.h"

#include <algorithm>
#include <string>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include "compiler/frontend/place_text.h"
#include "compiler/frontend/readable.h"
#include "compiler/specialize/likely.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

std::optional<std::uint64_t> known_address(const llvm::Value &pointer, const DataLayout &layout) {
  APInt offset(layout.getIndexTypeSizeInBits(pointer.getType()), 0);
  const llvm::Value *base =
      pointer.stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  if (Operator::getOpcode(base) != Instruction::IntToPtr)
    return std::nullopt;
  const auto *number = dyn_cast<ConstantInt>(cast<Operator>(base)->getOperand(0));
  return number ? std::optional(number->getZExtValue() + offset.getSExtValue()) : std::nullopt;
}

const core::Region *region_of(const LoadInst &load, const std::vector<core::Region> &regions) {
  const auto address = known_address(*load.getPointerOperand(), load.getDataLayout());
  if (!address)
    return nullptr;
  const auto after = std::ranges::upper_bound(regions, *address, {}, &core::Region::address);
  return after != regions.begin() && *address < std::prev(after)->end() ? &*std::prev(after)
                                                                        : nullptr;
}

} // namespace

std::optional<Remark> loads_left(const Module &module, const std::vector<core::Region> &regions) {
  if (regions.empty())
    return std::nullopt;
  unsigned count = 0;
  std::string first;
  for (const Function &function : module) {
    if (function.isDeclaration())
      continue;
    for (const BasicBlock *block : likely_blocks(function))
      for (const Instruction &instruction : *block) {
        const auto *load = dyn_cast<LoadInst>(&instruction);
        const core::Region *region = load ? region_of(*load, regions) : nullptr;
        if (!region || count++ > 0)
          continue;
        const auto address = *known_address(*load->getPointerOperand(), load->getDataLayout());
        first = "byte " + std::to_string(address - region->address) + " of invariant " +
                std::to_string(region->invariant) + ", in " + compiler::readable(function) +
                compiler::place_text(load->getDebugLoc());
      }
  }
  if (count == 0)
    return std::nullopt;
  return Remark{RemarkCode::loads_left, "loads from invariant memory are left: " +
                                            std::to_string(count) + ", such as that of " + first};
}

} // namespace sartor::compiler
