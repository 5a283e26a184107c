// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/kernel/map_writes.h"

#include <utility>
#include <vector>

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include "core/request/kernel_names.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kUnseenWriter = "sartor-unseen-writer";

// Numbers of the kernel's helper functions (linux/bpf.h).
enum Helper : std::uint64_t {
  kLookup = 1,
  kUpdate = 2,
  kDelete = 3,
  kTailCall = 12,
  kPush = 87,
  kPop = 88,
  kPeek = 89,
  kForEach = 164,
  kLoop = 181,
  kLookupPerCpu = 195,
};

// Returns the number of the helper function that a call calls, or 0. Helpers are called by their
// number, converted to an address.
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

// Returns the effect of a helper on a map passed to it. The callback of bpf_for_each_map_elem() may
// change values until the call ends, but not later.
ValueUse use_of_map(std::uint64_t helper) {
  switch (helper) {
  case kUpdate:
  case kDelete:
  case kPush:
  case kPop:
  case kForEach:
    return ValueUse::written;
  case kLookup:
  case kLookupPerCpu:
  case kPeek:
  case kTailCall:
    return ValueUse::read;
  default:
    return ValueUse::lost;
  }
}

// True if the kernel may call a callback with pointers to values after the call has ended.
bool keeps_callback(const CallBase &call) {
  const std::uint64_t helper = helper_of(call);
  return helper != kLoop && helper != kForEach && any_of(call.args(), [](const Use &argument) {
           return isa<Function>(argument->stripPointerCasts());
         });
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

// Adds to `more` the results of the use that point into the same value.
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
    // The kernel's map functions only read the key and the value.
    const std::uint64_t helper = helper_of(*call);
    if (helper == kLookup || helper == kUpdate || helper == kDelete)
      return ValueUse::read;
    return call->isInlineAsm() || call->getType()->isPointerTy() || keeps_callback(*call)
               ? ValueUse::lost
               : ValueUse::written;
  }
  return ValueUse::lost;
}

} // namespace

GlobalVariable *map_version(const GlobalVariable &map) {
  return const_cast<Module *>(map.getParent())
      ->getGlobalVariable(std::string(core::kVersionPrefix) + map.getName().str());
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

namespace {

/// Follows the address of a map to all instructions that may change the map, through all functions
/// that receive it.
class MapWriters {
public:
  explicit MapWriters(GlobalVariable &map) {
    follow(map);
    while (!work_.empty()) {
      llvm::Value *address = work_.pop_back_val();
      for (const Use &use : address->uses())
        look_at(use);
    }
  }

  [[nodiscard]] ArrayRef<Instruction *> writers() const { return writers_.getArrayRef(); }
  /// Returns the reason why the address or a pointer to a value can no longer be followed; empty if
  /// it can.
  [[nodiscard]] const std::string &unseen() const { return unseen_; }

private:
  void follow(llvm::Value &address) {
    if (seen_.insert(&address).second)
      work_.push_back(&address);
  }

  void note(Instruction &user, ValueUse does) {
    if (does == ValueUse::written)
      writers_.insert(&user);
    if (does == ValueUse::lost && unseen_.empty())
      unseen_ = place_of(user);
  }

  void look_at(const Use &use) {
    auto *instruction = dyn_cast<Instruction>(use.getUser());
    if (!instruction)
      return look_at_constant(*use.getUser());
    if (isa<LoadInst, ICmpInst>(instruction)) // reads the map's description
      return;
    if (isa<PHINode, SelectInst, FreezeInst, BitCastInst, AddrSpaceCastInst>(instruction))
      return follow(*instruction);
    if (isa<ReturnInst>(instruction)) {
      for (const Use &of : instruction->getFunction()->uses())
        if (auto *call = dyn_cast<CallBase>(of.getUser()); call && call->isCallee(&of))
          follow(*call);
        else
          note(*instruction, ValueUse::lost);
      return;
    }
    auto *call = dyn_cast<CallBase>(instruction);
    if (!call || !call->isArgOperand(&use))
      return note(*instruction, ValueUse::lost);
    Function *callee = call->getCalledFunction();
    if (callee && !callee->isDeclaration() && !callee->isVarArg())
      return follow(*callee->getArg(call->getArgOperandNo(&use)));
    if (call->isLifetimeStartOrEnd() || call->isDebugOrPseudoInst())
      return;
    const std::uint64_t helper = helper_of(*call);
    note(*call, use_of_map(helper));
    if (helper == kLookup || helper == kLookupPerCpu)
      look_at_uses(*call, [&](Instruction &user, ValueUse does) { note(user, does); });
  }

  void look_at_constant(User &user) {
    const auto *list = dyn_cast<GlobalVariable>(&user);
    if (list && list->getName().starts_with("llvm."))
      return; // llvm.used and the like, which have no code
    if (isa<ConstantExpr>(user) || (isa<ConstantAggregate>(user) && are_lists(user)))
      return follow(user);
    if (unseen_.empty())
      unseen_ = list ? "the initialiser of " + list->getName().str() : "a constant";
  }

  static bool are_lists(const User &user) {
    return all_of(user.users(), [](const User *of) {
      const auto *list = dyn_cast<GlobalVariable>(of);
      return list && list->getName().starts_with("llvm.");
    });
  }

  SmallVector<llvm::Value *> work_;
  SmallPtrSet<llvm::Value *, 16> seen_;
  SetVector<Instruction *> writers_;
  std::string unseen_;
};

} // namespace

void guard_map_writes(Module &module) {
  std::vector<std::pair<GlobalVariable *, MapWriters>> maps;
  for (GlobalVariable &map : module.globals())
    if (map_version(map))
      maps.emplace_back(&map, MapWriters(map));
  for (auto &[map, found] : maps) {
    if (!found.unseen().empty())
      map->addAttribute(kUnseenWriter, found.unseen());
    for (Instruction *writer : found.writers())
      bump_around(*writer, *map_version(*map));
  }
}

std::string unseen_writer(const GlobalVariable &map) {
  return map.getAttribute(kUnseenWriter).getValueAsString().str();
}

} // namespace sartor::compiler
