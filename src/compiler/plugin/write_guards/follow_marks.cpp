// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/write_guards/follow_marks.h"

#include <llvm/Analysis/MemoryBuiltins.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/BuildLibCalls.h>

#include "compiler/frontend/clone.h"
#include "compiler/frontend/llvm_version.h"
#include "compiler/plugin/write_guards/writes.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr unsigned kMostInstructions = 500; // limit on a function that an address is followed into
constexpr unsigned kMostCopies = 2000;

bool can_be_copied(const Function &function) {
  return !function.isDeclaration() && !function.isInterposable() && !function.isVarArg() &&
         !function.isPresplitCoroutine() && !function.hasFnAttribute(Attribute::Naked) &&
         function.getInstructionCount() <= kMostInstructions;
}

} // namespace

Writes MarkFollower::follow() {
  // Declares the mark's semantics: it returns the address and does not capture it.
  mark_.addParamAttr(0, Attribute::Returned);
  mark_.addParamAttr(0, not_captured(mark_.getContext()));
  for (Function &function : *mark_.getParent())
    add_marks_in(function);
  while (!waiting_.empty()) {
    const Holder holder = waiting_.back();
    waiting_.pop_back();
    follow(holder);
  }
  drop_idle_copies();
  remove_marks();
  return std::move(writes_);
}

void MarkFollower::add_marks_in(Function &function) {
  for (Instruction &instruction : instructions(function)) {
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || call->getCalledOperand() != &mark_)
      continue;
    const auto mark =
        static_cast<unsigned>(cast<ConstantInt>(call->getArgOperand(1))->getZExtValue());
    if (!table_.marks[mark].parts.empty())
      waiting_.push_back({call, mark, 0});
  }
}

void MarkFollower::hold(Value &value, const Holder &from, std::optional<std::int64_t> offset) {
  waiting_.push_back({&value, from.mark, offset});
}

void MarkFollower::follow(const Holder &holder) {
  if (!seen_.insert({holder.value, holder.mark}).second)
    return;
  SmallVector<Use *> uses; // a copy, because uses are added when functions are copied
  for (Use &use : holder.value->uses())
    uses.push_back(&use);
  for (Use *use : uses)
    follow_use(*use, holder);
}

void MarkFollower::follow_use(Use &use, const Holder &holder) {
  auto *user = dyn_cast<Instruction>(use.getUser());
  if (!user || isa<LoadInst, ICmpInst>(user))
    return;
  if (auto *store = dyn_cast<StoreInst>(user)) {
    if (use.getOperandNo() == StoreInst::getPointerOperandIndex())
      add_write(*store, holder);
    else
      follow_stored(*store, holder);
  } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user)) {
    use.getOperandNo() == 0 ? add_write(*user, holder) : escapes(holder, "stored");
  } else if (auto *step = dyn_cast<GEPOperator>(user)) {
    const DataLayout &layout = user->getDataLayout();
    APInt distance(layout.getIndexTypeSizeInBits(step->getType()), 0);
    const bool is_known = holder.offset && step->accumulateConstantOffset(layout, distance);
    hold(*user, holder,
         is_known ? std::optional(*holder.offset + distance.getSExtValue()) : std::nullopt);
  } else if (isa<BitCastInst, FreezeInst>(user)) {
    hold(*user, holder, holder.offset);
  } else if (isa<AddrSpaceCastInst>(user)) {
    escapes(holder, "in another address space");
  } else if (isa<PHINode, SelectInst>(user)) {
    hold(*user, holder, std::nullopt);
  } else if (makes_number_of_pointer(user->getOpcode())) {
    if (!is_compared(*user))
      escapes(holder, "made an integer");
  } else if (isa<ReturnInst>(user)) {
    follow_returned(*user->getFunction(), holder);
  } else if (auto *call = dyn_cast<CallBase>(user)) {
    follow_call(*call, use, holder);
  } else {
    escapes(holder, "kept in a value");
  }
}

void MarkFollower::follow_stored(StoreInst &store, const Holder &holder) {
  auto *variable = dyn_cast<AllocaInst>(store.getPointerOperand());
  if (!variable || !is_plain_variable(*variable))
    return escapes(holder, "stored");
  for (User *user : variable->users())
    if (auto *load = dyn_cast<LoadInst>(user))
      load->getType()->isPointerTy() ? hold(*load, holder, std::nullopt)
                                     : escapes(holder, "made an integer");
}

void MarkFollower::follow_call(CallBase &call, Use &use, const Holder &holder) {
  if (call.getCalledOperand() == &mark_)
    return hold(call, holder, holder.offset);
  if (call.isInlineAsm())
    return escapes(holder, "inline assembly");
  if (!call.isArgOperand(&use) || follow_intrinsic(call, use, holder))
    return;
  const unsigned argument = call.getArgOperandNo(&use);
  if (call.isPassPointeeByValueArgument(argument) || follow_library_call(call, argument, holder))
    return;
  follow_into(call, argument, holder);
}

bool MarkFollower::follow_intrinsic(CallBase &call, Use &use, const Holder &holder) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (!intrinsic)
    return false;
  if (isa<AnyMemIntrinsic>(intrinsic)) {
    if (call.getArgOperandNo(&use) == 0)
      add_write(call, holder);
    return true;
  }
  switch (intrinsic->getIntrinsicID()) {
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::ptr_annotation:
  case Intrinsic::ptrmask:
    hold(call, holder, std::nullopt);
    return true;
  default:
    if (!intrinsic->isAssumeLikeIntrinsic() && !intrinsic->onlyReadsMemory())
      escapes(holder, "used by " + Intrinsic::getBaseName(intrinsic->getIntrinsicID()).str());
    return true;
  }
}

bool MarkFollower::follow_library_call(CallBase &call, unsigned argument, const Holder &holder) {
  Function *called = call.getCalledFunction();
  if (!called || !called->isDeclaration())
    return false;
  if (length_argument(call) && argument < 2) {
    if (argument == 0) {
      if (isa<CallInst>(call))
        add_write(call, holder);
      else
        escapes(holder, "written where exceptions are caught");
      hold(call, holder, std::nullopt);
    }
    return true;
  }
  const TargetLibraryInfo &library = library_(*call.getFunction());
  inferNonMandatoryLibFuncAttrs(*called, library);
  return getFreedOperand(&call, &library) == call.getArgOperand(argument) ||
         (call.onlyReadsMemory(argument) && call.doesNotCapture(argument));
}

void MarkFollower::follow_into(CallBase &call, unsigned argument, const Holder &holder) {
  Function *called = call.getCalledFunction();
  if (is_fresh(*holder.value)) // it is filled first, and assigned to its destination later
    return;
  if (!called)
    return escapes(holder, "passed to a function that is called by its address");
  if (auto copy = copies_.find(called); copy != copies_.end()) {
    add_caller(copy->second, call); // copying a function also copies its calls of copies
    return hold(*called->getArg(argument), holder, std::nullopt);
  }
  if (!can_be_copied(*called) || argument >= called->arg_size() || copies_.size() >= kMostCopies)
    return escapes(holder, "passed to " + called_as(*called));
  if (const std::string problem = compiler::copy_problem(*called); !problem.empty())
    return escapes(holder, "passed to " + called_as(*called) + ": " + problem);
  Function *&known = copy_of_[{called, {argument, holder.mark}}];
  if (!known) {
    known = compiler::copy_function(*called);
    known->setName(called->getName() + ".guarded");
    known->setLinkage(GlobalValue::InternalLinkage);
    known->setVisibility(GlobalValue::DefaultVisibility);
    known->setDLLStorageClass(GlobalValue::DefaultStorageClass);
    known->setDSOLocal(true);
    known->setComdat(nullptr);
    copies_[known].original = called;
    add_marks_in(*known);
  }
  Function *copy = known;
  call.setCalledFunction(copy);
  add_caller(copies_[copy], call);
  hold(*copy->getArg(argument), holder, std::nullopt);
}

void MarkFollower::add_caller(Copy &copy, CallBase &caller) {
  if (copy.callers.insert(&caller))
    for (const unsigned mark : copy.returned)
      waiting_.push_back({&caller, mark, std::nullopt});
}

void MarkFollower::follow_returned(Function &function, const Holder &holder) {
  const auto copy = copies_.find(&function);
  if (copy == copies_.end())
    return escapes(holder, "returned");
  copy->second.returned.insert(holder.mark);
  for (CallBase *caller : copy->second.callers)
    hold(*caller, holder, std::nullopt);
}

void MarkFollower::add_write(Instruction &at, const Holder &holder) {
  const auto *bytes = dyn_cast<ConstantInt>(written_bytes(at));
  const auto fields =
      fields_at(holder, bytes ? std::optional(bytes->getZExtValue()) : std::nullopt);
  if (fields.empty())
    return;
  Write &write = writes_[&at];
  write.fields.insert(fields.begin(), fields.end());
  write.marks.insert(holder.mark);
}

std::vector<unsigned> MarkFollower::fields_at(const Holder &holder,
                                              std::optional<std::uint64_t> bytes) const {
  const MarkedPlace &mark = table_.marks[holder.mark];
  const auto begin = holder.offset ? static_cast<std::uint64_t>(*holder.offset) : 0;
  const auto end = bytes ? begin + *bytes : 0;
  // The next element of an array begins after the object.
  const bool is_known = mark.is_exact && holder.offset && bytes && *holder.offset >= 0 &&
                        (end <= mark.size || mark.size == 0);
  std::vector<unsigned> fields;
  for (const WatchedPart &part : mark.parts)
    if (!is_known || part.overlaps(begin, end, table_.fields[part.field].size))
      fields.push_back(part.field);
  return fields;
}

void MarkFollower::escapes(const Holder &holder, const std::string &how) {
  const MarkedPlace &mark = table_.marks[holder.mark];
  for (const WatchedPart &part : mark.parts)
    if (!part.is_beside)
      table_.unproven.push_back({mark.place, table_.fields[part.field].name(), how});
}

void MarkFollower::drop_idle_copies() {
  SmallPtrSet<const Function *, 16> needed;
  for (const auto &[write, what] : writes_)
    needed.insert(write->getFunction());
  const auto calls_needed = [&](Function &copy) {
    return any_of(instructions(copy), [&](const Instruction &instruction) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      Function *called = call ? call->getCalledFunction() : nullptr;
      return called && needed.contains(called) && copies_.contains(called);
    });
  };
  for (bool grows = true; grows;) {
    grows = false;
    for (auto &[copy, of] : copies_)
      if (!needed.contains(copy) && calls_needed(*copy))
        grows |= needed.insert(copy).second;
  }
  for (auto &[copy, of] : copies_)
    if (!needed.contains(copy)) {
      replace_function(*copy, *of.original);
      copy->eraseFromParent();
    }
}

void MarkFollower::remove_marks() {
  for (User *user : make_early_inc_range(mark_.users())) {
    auto *call = cast<CallBase>(user);
    call->replaceAllUsesWith(call->getArgOperand(0));
    call->eraseFromParent();
  }
  mark_.eraseFromParent();
}

} // namespace sartor::compiler
