// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/analysis/foldable.h"

#include <algorithm>
#include <map>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

namespace sartor::compiler {

using namespace llvm;
using CallType = core::NativeCall::Type;

namespace {

// Maps an IR type to a call type. Callees rely on narrow integers being extended as their
// declaration says.
std::optional<CallType> type_of(const Type &type, bool is_signed) {
  using enum CallType;
  if (type.isPointerTy())
    return pointer;
  if (type.isFloatTy())
    return f32;
  if (type.isDoubleTy())
    return f64;
  if (!type.isIntegerTy())
    return std::nullopt;
  switch (type.getIntegerBitWidth()) {
  case 1:
    return u8;
  case 8:
    return is_signed ? s8 : u8;
  case 16:
    return is_signed ? s16 : u16;
  case 32:
    return is_signed ? s32 : u32;
  case 64:
    return u64;
  default:
    return std::nullopt;
  }
}

bool is_passed_in_memory(const Argument &argument) {
  return argument.hasPassPointeeByValueCopyAttr() || argument.hasStructRetAttr();
}

/// Finds the extent of the memory that code reads or writes behind a pointer, if all offsets are
/// constant.
class Bound {
public:
  explicit Bound(const DataLayout &layout) : layout_(layout) {}

  /// Empty if an offset is not constant.
  std::optional<std::uint64_t> of(const Argument &argument) {
    end_ = 0;
    seen_.clear();
    return walk(argument, 0, 0) ? std::optional(end_) : std::nullopt;
  }

private:
  static constexpr unsigned kMostCalls = 8; ///< Limit of nested calls.

  bool walk(const llvm::Value &pointer, std::int64_t offset, unsigned calls) {
    if (const auto [known, is_new] = seen_.emplace(&pointer, offset); !is_new)
      return known->second == offset;
    return llvm::all_of(pointer.uses(),
                        [&](const Use &use) { return is_bounded(use, offset, calls); });
  }

  bool is_bounded(const Use &use, std::int64_t offset, unsigned calls) {
    const auto *user = cast<User>(use.getUser());
    if (const auto *load = dyn_cast<LoadInst>(user))
      return reach(offset, layout_.getTypeStoreSize(load->getType()));
    if (const auto *store = dyn_cast<StoreInst>(user))
      return use.getOperandNo() == StoreInst::getPointerOperandIndex() &&
             reach(offset, layout_.getTypeStoreSize(store->getValueOperand()->getType()));
    if (const auto *place = dyn_cast<GEPOperator>(user)) {
      APInt more(layout_.getIndexTypeSizeInBits(place->getType()), 0);
      return use.getOperandNo() == 0 && place->accumulateConstantOffset(layout_, more) &&
             walk(*place, offset + more.getSExtValue(), calls);
    }
    if (isa<PHINode, SelectInst, FreezeInst>(user))
      return walk(*user, offset, calls);
    if (const auto *call = dyn_cast<CallBase>(user))
      return is_bounded(*call, use, offset, calls);
    return isa<ICmpInst, ReturnInst>(user);
  }

  bool is_bounded(const CallBase &call, const Use &use, std::int64_t offset, unsigned calls) {
    if (isa<DbgInfoIntrinsic, AssumeInst>(call) || call.isLifetimeStartOrEnd())
      return true;
    if (const auto *copied = dyn_cast<MemIntrinsic>(&call)) {
      const auto *size = dyn_cast<ConstantInt>(copied->getLength());
      return size && reach(offset, TypeSize::getFixed(size->getZExtValue()));
    }
    if (call.isArgOperand(&use) && call.isPassPointeeByValueArgument(call.getArgOperandNo(&use))) {
      Type *copied = call.getParamByValType(call.getArgOperandNo(&use)); // the whole object
      return copied && reach(offset, layout_.getTypeAllocSize(copied));
    }
    const Function *callee = call.getCalledFunction();
    if (!callee || callee->isDeclaration() || callee->isInterposable() || calls == kMostCalls ||
        !call.isArgOperand(&use) || call.getArgOperandNo(&use) >= callee->arg_size())
      return false;
    return walk(*callee->getArg(call.getArgOperandNo(&use)), offset, calls + 1);
  }

  bool reach(std::int64_t offset, TypeSize size) {
    if (offset < 0 || size.isScalable())
      return false;
    end_ = std::max(end_, static_cast<std::uint64_t>(offset) + size.getFixedValue());
    return true;
  }

  const DataLayout &layout_;
  std::uint64_t end_ = 0;
  std::map<const llvm::Value *, std::int64_t> seen_;
};

/// True if a number passed to the function determines the address of a read, or whether it happens.
bool numbers_decide_reads(const Function &function) {
  SmallVector<const llvm::Value *> decisive;
  SmallPtrSet<const llvm::Value *, 32> seen;
  for (const Argument &argument : function.args())
    if (!argument.getType()->isPointerTy())
      decisive.push_back(&argument);
  while (!decisive.empty())
    for (const User *user : decisive.pop_back_val()->users()) {
      if (isa<ReturnInst>(user) || !seen.insert(user).second)
        continue;
      const auto *call = dyn_cast<IntrinsicInst>(user);
      const bool only_computes =
          isa<BinaryOperator, CastInst, CmpInst, UnaryOperator, FreezeInst, PHINode, SelectInst>(
              user) ||
          (call && !call->mayReadOrWriteMemory());
      if (!only_computes || user->getType()->isPointerTy())
        return true;
      decisive.push_back(user);
    }
  return false;
}

/// True if the function may read by a pointer that it has read from memory.
bool follows_pointers(const Function &function) {
  return llvm::any_of(instructions(function), [](const Instruction &each) {
    const auto *call = dyn_cast<CallBase>(&each);
    return isa<IntToPtrInst>(each) || (isa<LoadInst>(each) && each.getType()->isPointerTy()) ||
           (call && !isa<IntrinsicInst>(call));
  });
}

std::string reads_attribute(std::uint64_t parameter) {
  return "sartor-fold-reads-" + std::to_string(parameter);
}

std::optional<sartor_extent> declared(const Function &function, unsigned parameter) {
  const Attribute said = function.getFnAttribute(reads_attribute(parameter));
  sartor_extent extent{};
  auto [bytes, count] = said.getValueAsString().split(',');
  if (!said.isValid() || bytes.getAsInteger(10, extent.bytes) ||
      count.getAsInteger(10, extent.count))
    return std::nullopt;
  return extent;
}

} // namespace

std::optional<core::Foldable> call_types(const Function &function) {
  const auto result = type_of(*function.getReturnType(), /*is_signed=*/false);
  if (!result || function.isVarArg())
    return std::nullopt;
  core::Foldable types{function.getName().str(), *result, {}, {}};
  for (const Argument &argument : function.args()) {
    const auto type = type_of(*argument.getType(), argument.hasSExtAttr());
    if (!type || is_passed_in_memory(argument))
      return std::nullopt;
    types.arguments.push_back(*type);
  }
  return types;
}

std::optional<core::Foldable> foldable_of(const Function &function) {
  auto foldable = call_types(function);
  if (!foldable)
    return std::nullopt;
  std::vector<sartor_extent> extents;
  Bound bound(function.getDataLayout());
  for (const Argument &argument : function.args()) {
    if (!argument.getType()->isPointerTy()) {
      extents.push_back({0, SARTOR_ONCE});
      continue;
    }
    if (const auto extent = declared(function, argument.getArgNo())) {
      extents.push_back(*extent);
      continue;
    }
    if (function.isDeclaration())
      return foldable;
    const auto end = bound.of(argument);
    const bool depends_on_memory = !end || follows_pointers(function);
    if (depends_on_memory && numbers_decide_reads(function))
      return foldable;
    extents.push_back({end.value_or(1), depends_on_memory ? SARTOR_OFFERED : SARTOR_ONCE});
  }
  foldable->extents = std::move(extents);
  return foldable;
}

// The values are fields of a constant: a parameter's index, bytes, the index of a count or -1.
void declare_reads(Function &function, const Constant &row) {
  const auto *values = dyn_cast<GlobalVariable>(row.getOperand(4)->stripPointerCasts());
  const Constant *fields = values && values->hasInitializer() ? values->getInitializer() : nullptr;
  if (!fields || fields->getType()->getStructNumElements() != 3)
    return;
  const auto field = [&](unsigned i) {
    return cast<ConstantInt>(fields->getAggregateElement(i))->getSExtValue();
  };
  const auto count = field(2) < 0 ? SARTOR_ONCE : static_cast<std::uint64_t>(field(2));
  function.addFnAttr(reads_attribute(static_cast<std::uint64_t>(field(0))),
                     std::to_string(field(1)) + "," + std::to_string(count));
}

} // namespace sartor::compiler
