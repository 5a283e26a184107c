// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/map_writes.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "request/kernel_names.h"

namespace sartor::point {

using namespace llvm;

namespace {

constexpr const char *kUnseenWriter = "sartor-unseen-writer";

// Numbers of the kernel's helper functions.
enum Helper : std::uint64_t {
  kLookup = 1,
  kUpdate = 2,
  kDelete = 3,
  kPush = 87,
  kPop = 88,
};

// A helper is called by its number, as if that were an address. 0: it is something else.
std::uint64_t helper_of(const CallBase &call) {
  const auto *address = dyn_cast<ConstantExpr>(call.getCalledOperand()->stripPointerCasts());
  if (!address || address->getOpcode() != Instruction::IntToPtr)
    return 0;
  const auto *number = dyn_cast<ConstantInt>(address->getOperand(0));
  return number ? number->getZExtValue() : 0;
}

GlobalVariable *first_argument(const CallBase &call) {
  return call.arg_empty() ? nullptr
                          : dyn_cast<GlobalVariable>(call.getArgOperand(0)->stripPointerCasts());
}

bool changes_map(std::uint64_t helper) {
  return helper == kUpdate || helper == kDelete || helper == kPush || helper == kPop;
}

void bump(IRBuilder<> &builder, GlobalVariable &version) {
  builder.CreateAtomicRMW(AtomicRMWInst::Add, &version, builder.getInt64(1), Align(8),
                          AtomicOrdering::SequentiallyConsistent);
}

void bump_around(Instruction &writer, GlobalVariable &version) {
  IRBuilder<> before(&writer);
  bump(before, version);
  if (writer.isTerminator())
    return;
  IRBuilder<> after(writer.getNextNode());
  after.SetCurrentDebugLocation(writer.getDebugLoc());
  bump(after, version);
}

std::string place_of(const Instruction &instruction) {
  const std::string function = instruction.getFunction()->getName().str();
  const DebugLoc &place = instruction.getDebugLoc();
  return place ? function + "(), line " + std::to_string(place.getLine()) : function + "()";
}

// `more` gets what is computed from it and leads to the same value.
ValueUse use_of_value(const Use &use, SmallVectorImpl<llvm::Value *> &more) {
  auto *user = cast<Instruction>(use.getUser());
  if (isa<LoadInst, ICmpInst>(user))
    return ValueUse::read;
  if (isa<GetElementPtrInst, PHINode, SelectInst, BitCastInst, AddrSpaceCastInst, FreezeInst>(
          user)) {
    more.push_back(user);
    return ValueUse::read;
  }
  if (const auto *store = dyn_cast<StoreInst>(user))
    return store->getPointerOperand() == use.get() && store->getValueOperand() != use.get()
               ? ValueUse::written
               : ValueUse::lost;
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user))
    return use.getOperandNo() == 0 ? ValueUse::written : ValueUse::lost;
  if (const auto *copy = dyn_cast<MemTransferInst>(user))
    return copy->getRawDest() == use.get() ? ValueUse::written : ValueUse::read;
  if (isa<MemSetInst>(user))
    return ValueUse::written;
  if (const auto *call = dyn_cast<CallBase>(user)) {
    if (user->isLifetimeStartOrEnd() || user->isDebugOrPseudoInst())
      return ValueUse::read;
    // The kernel's functions for maps read keys and values.
    const std::uint64_t helper = helper_of(*call);
    if (helper == kLookup || helper == kUpdate || helper == kDelete)
      return ValueUse::read;
    return call->isInlineAsm() || call->getType()->isPointerTy() ? ValueUse::lost
                                                                 : ValueUse::written;
  }
  return ValueUse::lost;
}

} // namespace

GlobalVariable *map_version(const GlobalVariable &map) {
  return const_cast<Module *>(map.getParent())
      ->getGlobalVariable(std::string(specialize::kVersionPrefix) + map.getName().str());
}

GlobalVariable *looked_up(const CallBase &call) {
  return helper_of(call) == kLookup ? first_argument(call) : nullptr;
}

void mark_lookups(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction); call && looked_up(*call)) {
        call->setOnlyReadsMemory();
        call->setDoesNotThrow();
        call->addFnAttr(Attribute::WillReturn);
      }
}

void look_at_uses(CallBase &lookup, function_ref<void(Instruction &user, ValueUse does)> look) {
  SmallVector<llvm::Value *> work{&lookup};
  SmallPtrSet<llvm::Value *, 16> seen(work.begin(), work.end());
  while (!work.empty()) {
    llvm::Value *pointer = work.pop_back_val();
    for (const Use &use : pointer->uses()) {
      SmallVector<llvm::Value *> more;
      const ValueUse does = use_of_value(use, more);
      look(*cast<Instruction>(use.getUser()), does);
      for (llvm::Value *next : more)
        if (seen.insert(next).second)
          work.push_back(next);
    }
  }
}

void guard_map_writes(Module &module) {
  for (Function &function : module) {
    SmallVector<std::pair<Instruction *, GlobalVariable *>> writes;
    for (Instruction &instruction : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&instruction);
      GlobalVariable *map = call ? first_argument(*call) : nullptr;
      if (!map || !map_version(*map))
        continue;
      if (changes_map(helper_of(*call)))
        writes.push_back({call, map});
      if (!looked_up(*call))
        continue;
      SetVector<Instruction *> writers;
      look_at_uses(*call, [&, map = map](Instruction &user, ValueUse does) {
        if (does == ValueUse::written)
          writers.insert(&user);
        if (does == ValueUse::lost && unseen_writer(*map).empty())
          map->addAttribute(kUnseenWriter, place_of(user));
      });
      for (Instruction *writer : writers)
        writes.push_back({writer, map});
    }
    for (const auto &[writer, map] : writes)
      bump_around(*writer, *map_version(*map));
  }
}

std::string unseen_writer(const GlobalVariable &map) {
  return map.getAttribute(kUnseenWriter).getValueAsString().str();
}

} // namespace sartor::point
