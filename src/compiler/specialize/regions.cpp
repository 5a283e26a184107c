// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/regions.h"

#include <algorithm>
#include <cstring>

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>

#include "compiler/specialize/fold/constant_objects.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

using Symbols = std::map<std::string, void *, std::less<>>;

/// The distance within which most fields are that code accesses through a pointer.
constexpr std::uintptr_t kNear = 4096;

constexpr unsigned kLargestLoad = 64;

std::optional<std::uintptr_t> address_of_symbol(const GlobalValue &global, const Symbols &symbols) {
  // Names of local definitions have no meaning outside of the module.
  if (global.hasLocalLinkage() || global.isThreadLocal())
    return std::nullopt;
  auto known = symbols.find(std::string_view(global.getName().data(), global.getName().size()));
  if (known == symbols.end())
    return std::nullopt;
  return reinterpret_cast<std::uintptr_t>(known->second);
}

// True if LLVM knows more of the symbol than its address.
bool has_known_contents(const GlobalValue &global) {
  const auto *variable = dyn_cast<GlobalVariable>(&global);
  return isa<Function>(global) ||
         (variable && variable->isConstant() && variable->hasDefinitiveInitializer());
}

std::map<std::uintptr_t, WeakVH> named_by_address(const Symbols &symbols, Module &module) {
  std::map<std::uintptr_t, WeakVH> named;
  for (GlobalObject &object : module.global_objects())
    if (has_known_contents(object))
      // The address of a symbol that the program lacks is null.
      if (auto address = address_of_symbol(object, symbols); address && *address != 0)
        named.emplace(*address, &object);
  return named;
}

Constant *number_of_type(const APInt &bits, Type &type) {
  if (auto *integer = dyn_cast<IntegerType>(&type))
    return ConstantInt::get(integer, bits.zextOrTrunc(integer->getBitWidth()));
  if (type.isFloatTy() || type.isDoubleTy() || type.isHalfTy())
    return ConstantFP::get(type.getContext(), APFloat(type.getFltSemantics(), bits));
  return nullptr;
}

} // namespace

Regions::Regions(const core::Reached &reached, core::InvariantMemory *memory,
                 const Symbols &symbols, Module &module)
    : regions_(reached.regions), objects_(reached.objects), memory_(memory), symbols_(symbols),
      module_(module), constants_(module, symbols), named_(named_by_address(symbols, module)) {}

const core::Region *Regions::find(std::uintptr_t address) const {
  auto after = std::ranges::upper_bound(regions_, address, {}, &core::Region::address);
  if (after == regions_.begin() || address >= std::prev(after)->end())
    return nullptr;
  return &*std::prev(after);
}

std::optional<std::uint64_t> Regions::invariant_at(std::uintptr_t address) const {
  const core::Region *region = find(address);
  return region ? std::optional(region->invariant) : std::nullopt;
}

bool Regions::is_in_object(std::uintptr_t address) const {
  auto after = std::ranges::upper_bound(objects_, address, {}, &core::Extent::address);
  return after != objects_.begin() && address < std::prev(after)->end;
}

bool Regions::any_near(std::uintptr_t address) const {
  auto after = std::ranges::upper_bound(regions_, address, {}, &core::Region::address);
  return is_in_object(address) || (after != regions_.end() && after->address - address < kNear);
}

bool Regions::overlaps(std::uintptr_t address, std::uint64_t size) const {
  auto after = std::ranges::upper_bound(regions_, address, {}, &core::Region::address);
  return find(address) || (after != regions_.end() && after->address - address < size);
}

std::optional<std::uintptr_t> Regions::address_of(const Constant &pointer) const {
  if (!pointer.getType()->isPointerTy() || pointer.getType()->getPointerAddressSpace() != 0)
    return std::nullopt;
  const DataLayout &layout = module_.getDataLayout();
  APInt offset(layout.getIndexTypeSizeInBits(pointer.getType()), 0);
  const llvm::Value *base =
      pointer.stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  const auto moved = [&](std::uint64_t address) {
    return (APInt(64, address).trunc(offset.getBitWidth()) + offset).getZExtValue();
  };
  if (isa<ConstantPointerNull>(base))
    return moved(0);
  if (const auto *global = dyn_cast<GlobalValue>(base)) {
    auto address = address_of_symbol(*global, symbols_);
    return address ? std::optional(moved(*address)) : std::nullopt;
  }
  const auto *expression = dyn_cast<ConstantExpr>(base);
  if (!expression || expression->getOpcode() != Instruction::IntToPtr)
    return std::nullopt;
  const auto *number = dyn_cast<ConstantInt>(expression->getOperand(0));
  return number ? std::optional(moved(number->getZExtValue())) : std::nullopt;
}

Constant *Regions::plain(Constant *constant) const {
  if (!constant->getType()->isPointerTy() || isa<ConstantPointerNull>(constant))
    return constant;
  const auto *global = dyn_cast<GlobalValue>(getUnderlyingObject(constant));
  if (global && has_known_contents(*global))
    return constant;
  auto address = address_of(*constant);
  return address ? pointer_to(*address) : constant;
}

Constant *Regions::pointer_to(std::uintptr_t address) const {
  if (auto named = named_.find(address); named != named_.end())
    if (auto *function = dyn_cast_or_null<Function>(static_cast<llvm::Value *>(named->second)))
      return function;
  LLVMContext &context = module_.getContext();
  auto *type = PointerType::getUnqual(context);
  if (address == 0)
    return ConstantPointerNull::get(type);
  return ConstantExpr::getIntToPtr(
      ConstantInt::get(module_.getDataLayout().getIntPtrType(context), address), type);
}

std::optional<APInt> Regions::bytes(std::uintptr_t address, unsigned size) {
  std::string copied;
  std::vector<std::uint64_t> used;
  while (copied.size() < size) {
    const core::Region *region = find(address + copied.size());
    if (!region)
      return std::nullopt;
    const std::size_t at = address + copied.size() - region->address;
    if (region->bytes) {
      copied += region->bytes->substr(at, size - copied.size());
    } else {
      const auto fetched = memory_->fetch(
          region->address + at, std::min<std::size_t>(size - copied.size(), region->unread - at));
      if (!fetched)
        return std::nullopt;
      copied += *fetched;
    }
    used.push_back(region->invariant);
  }
  invariants_.insert(used.begin(), used.end());
  std::vector<std::uint64_t> words((size + 7) / 8);
  std::memcpy(words.data(), copied.data(), size);
  return APInt(size * 8, words);
}

Constant *Regions::load(std::uintptr_t address, Type &type) {
  const DataLayout &layout = module_.getDataLayout();
  if (auto *vector = dyn_cast<FixedVectorType>(&type)) {
    Type *element = vector->getElementType();
    const std::uint64_t step = layout.getTypeStoreSize(element);
    // Elements that are not whole bytes are packed.
    if (layout.getTypeSizeInBits(element) != step * 8)
      return nullptr;
    std::vector<Constant *> elements;
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      Constant *value = load(address + i * step, *element);
      if (!value)
        return nullptr;
      elements.push_back(value);
    }
    return ConstantVector::get(elements);
  }
  if (!type.isIntegerTy() && !type.isPointerTy() && !type.isFloatTy() && !type.isDoubleTy() &&
      !type.isHalfTy())
    return nullptr;
  const TypeSize size = layout.getTypeStoreSize(&type);
  if (size.getFixedValue() > kLargestLoad)
    return nullptr;
  const auto bits = bytes(address, static_cast<unsigned>(size.getFixedValue()));
  if (!bits)
    return constants_.load(address, type);
  return type.isPointerTy() ? pointer_to(bits->getZExtValue()) : number_of_type(*bits, type);
}

std::optional<std::uint64_t> Regions::call(const core::NativeCall &call) {
  std::set<std::uint64_t> all;
  for (const core::Region &region : regions_)
    all.insert(region.invariant);
  const auto result = memory_->call(std::vector(all.begin(), all.end()), call);
  invariants_.merge(all); // if one is no longer valid, the code is rejected and requested again
  return result;
}

std::vector<Function *> functions_in(const std::vector<core::Region> &regions,
                                     const Symbols &symbols, Module &module) {
  SetVector<Function *> found;
  if (regions.empty())
    return {};
  const auto named = named_by_address(symbols, module);
  const auto add = [&](llvm::Value *object) {
    auto *function = dyn_cast<Function>(object);
    if (function && !function->isDeclaration())
      found.insert(function);
  };
  // Content that is unknown may point to any.
  if (std::ranges::any_of(regions, [](const core::Region &region) { return !region.bytes; })) {
    for (const auto &[address, object] : named)
      add(object);
    return {found.begin(), found.end()};
  }
  for (const core::Region &region : regions)
    for_each_word(*region.bytes, region.address, module.getDataLayout().getPointerSize(),
                  [&](std::uint64_t word) {
                    if (const auto known = named.find(word); known != named.end())
                      add(known->second);
                  });
  return {found.begin(), found.end()};
}

} // namespace sartor::compiler
