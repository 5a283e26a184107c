// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "specialize/local_places.h"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "point/marks.h"

namespace sartor::specialize {

using namespace llvm;

namespace {

using Offset = std::optional<std::int64_t>; // from where the memory begins; nothing: not known

class Finder {
public:
  Finder(const std::vector<CallInst *> &marks, std::uint64_t bytes)
      : function_(*marks.front()->getFunction()), layout_(marks.front()->getDataLayout()),
        bytes_(static_cast<std::int64_t>(bytes)) {
    for (CallInst *mark : marks)
      at(*mark, 0);
  }

  LocalPlaces run() {
    spread();
    // Until now, only pointers into the memory met each other.
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      auto *value = offsets_.begin()[i].first;
      if (isa<PHINode, SelectInst>(value) && any_of(merged(*value), [&](llvm::Value *each) {
            return !offsets_.contains(each) && !isa<UndefValue>(each);
          }))
        at(*value, std::nullopt);
    }
    spread();
    for (Instruction &instruction : instructions(function_))
      if (places_.problem.empty())
        look_at(instruction);
    return std::move(places_);
  }

private:
  static SmallVector<llvm::Value *> merged(llvm::Value &value) {
    if (auto *phi = dyn_cast<PHINode>(&value))
      return {phi->incoming_values().begin(), phi->incoming_values().end()};
    auto &select = cast<SelectInst>(value);
    return {select.getTrueValue(), select.getFalseValue()};
  }

  void at(llvm::Value &value, Offset offset) {
    const auto [known, is_new] = offsets_.insert({&value, offset});
    if (!is_new && (!known->second || known->second == offset))
      return;
    if (!is_new)
      known->second = std::nullopt;
    changed_.push_back(&value);
  }

  void spread() {
    while (!changed_.empty()) {
      llvm::Value *value = changed_.pop_back_val();
      for (const Use &use : value->uses())
        pass_on(use, offsets_.lookup(value));
    }
  }

  void pass_on(const Use &use, Offset offset) {
    auto *user = cast<Instruction>(use.getUser());
    if (auto *element = dyn_cast<GetElementPtrInst>(user)) {
      APInt more(layout_.getIndexTypeSizeInBits(element->getType()), 0);
      const bool is_known = offset && !element->getType()->isVectorTy() &&
                            element->accumulateConstantOffset(layout_, more);
      at(*element, is_known ? Offset(*offset + more.getSExtValue()) : std::nullopt);
    } else if (isa<PHINode, SelectInst, FreezeInst>(user)) {
      at(*user, offset);
    }
  }

  void look_at(Instruction &instruction) {
    if (point::as_local(instruction) || point::as_publish(instruction))
      return;
    for (Use &use : instruction.operands())
      if (const auto known = offsets_.find(use.get()); known != offsets_.end())
        look_at(use, known->second);
  }

  void look_at(Use &use, Offset offset) {
    auto &user = *cast<Instruction>(use.getUser());
    if (isa<GetElementPtrInst, PHINode, SelectInst, FreezeInst, ICmpInst, ReturnInst>(user))
      return;
    if (auto *load = dyn_cast<LoadInst>(&user); load && load->isSimple())
      return add(use, offset, *load->getType(), /*writes=*/false);
    if (auto *store = dyn_cast<StoreInst>(&user); store && store->isSimple()) {
      if (use.getOperandNo() == StoreInst::getPointerOperandIndex())
        add(use, offset, *store->getValueOperand()->getType(), /*writes=*/true);
      return; // or the pointer itself is stored
    }
    if (auto *memory = dyn_cast<MemIntrinsic>(&user); memory && !memory->isVolatile())
      if (const auto *length = dyn_cast<ConstantInt>(memory->getLength()))
        return add(use, offset, length->getZExtValue(), use.getOperandNo() == 0);
    if (auto *call = dyn_cast<CallInst>(&user)) {
      const auto *intrinsic = dyn_cast<IntrinsicInst>(call);
      if (!is_beside(offset) && !(intrinsic && intrinsic->isAssumeLikeIntrinsic()))
        places_.accesses.push_back({call, nullptr, std::nullopt, 0, !call->onlyReadsMemory()});
      return;
    }
    if (isa<PtrToIntInst>(user) && ends_in_comparisons(user))
      return;
    places_.problem =
        "what becomes of a pointer into it is not plain: " + std::string(user.getOpcodeName());
  }

  // As what an address is a multiple of does.
  static bool ends_in_comparisons(const Instruction &number) {
    return all_of(number.users(), [](const User *each) {
      return isa<ICmpInst>(each) || cast<Instruction>(each)->getOpcode() == Instruction::Sub ||
             (isa<BinaryOperator, TruncInst>(each) &&
              ends_in_comparisons(*cast<Instruction>(each)));
    });
  }

  bool is_beside(Offset offset) const { return offset && (*offset < 0 || *offset >= bytes_); }

  void add(Use &use, Offset offset, Type &type, bool writes) {
    const TypeSize size = layout_.getTypeStoreSize(&type);
    if (size.isScalable())
      places_.problem = "it is accessed by vectors whose size is not known";
    else
      add(use, offset, size.getFixedValue(), writes);
  }

  void add(Use &use, Offset offset, std::uint64_t size, bool writes) {
    const auto end = offset ? *offset + static_cast<std::int64_t>(size) : 0;
    if (offset && (end <= 0 || *offset >= bytes_))
      return;
    if (offset && (*offset < 0 || end > bytes_))
      places_.problem = "something is accessed that lies in it in part";
    else
      places_.accesses.push_back({cast<Instruction>(use.getUser()), &use, offset, size, writes});
  }

  Function &function_;
  const DataLayout &layout_;
  std::int64_t bytes_;
  MapVector<llvm::Value *, Offset> offsets_;
  SmallVector<llvm::Value *> changed_;
  LocalPlaces places_;
};

} // namespace

LocalPlaces find_local_places(const std::vector<CallInst *> &marks, std::uint64_t bytes) {
  return Finder(marks, bytes).run();
}

} // namespace sartor::specialize
