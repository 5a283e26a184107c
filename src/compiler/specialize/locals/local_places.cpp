// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/locals/local_places.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "compiler/frontend/marks/marks.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// The relation of a value to the memory. Values only move down this list.
enum class Kind : std::uint8_t {
  place,    ///< An address at a known offset from the beginning of the memory.
  into,     ///< An address computed from such an address.
  holder,   ///< The address of a variable of the function that contains such an address.
  anywhere, ///< Loaded from memory or returned by a callee: any of these, or none.
};

struct Trace {
  Kind kind;
  std::int64_t offset = 0; ///< Of a place, in bytes.

  bool operator==(const Trace &) const = default;
};

Trace merged(const Trace &first, const Trace &second) {
  if (first == second)
    return first;
  const auto is_address = [](Kind kind) { return kind <= Kind::into; };
  if (is_address(first.kind) && is_address(second.kind))
    return {Kind::into};
  return first.kind == second.kind ? first : Trace{Kind::anywhere};
}

bool has_pointer(const Type &type) {
  return type.isPtrOrPtrVectorTy() ||
         any_of(type.subtypes(), [](const Type *each) { return has_pointer(*each); });
}

bool is_of_no_effect(const CallBase &call) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  return intrinsic && intrinsic->isAssumeLikeIntrinsic();
}

class Finder {
public:
  Finder(const std::vector<CallInst *> &marks, std::uint64_t bytes, bool may_be_saved)
      : function_(*marks.front()->getFunction()), layout_(marks.front()->getDataLayout()),
        bytes_(static_cast<std::int64_t>(bytes)), may_be_saved_(may_be_saved) {
    for (CallInst *mark : marks)
      trace(*mark, {Kind::place, 0});
  }

  LocalPlaces run() {
    do
      spread();
    while (trace_merges() || trace_differences());
    for (Instruction &instruction : instructions(function_))
      if (places_.problem.empty())
        look_at(instruction);
    return std::move(places_);
  }

private:
  void trace(llvm::Value &value, Trace trace) {
    const auto [known, is_new] = traces_.insert({&value, trace});
    if (!is_new) {
      trace = merged(known->second, trace);
      if (known->second == trace)
        return;
      known->second = trace;
    }
    changed_.push_back(&value);
  }

  const Trace *trace_of(const llvm::Value &value) const {
    const auto known = traces_.find(const_cast<llvm::Value *>(&value));
    return known == traces_.end() ? nullptr : &known->second;
  }

  void spread() {
    while (!changed_.empty()) {
      llvm::Value *value = changed_.pop_back_val();
      for (const Use &use : value->uses())
        if (auto *user = dyn_cast<Instruction>(use.getUser()))
          pass_on(use, *user, traces_.lookup(value));
    }
  }

  // Must be called when all uses are traced: a value merged with an untraced pointer has no known
  // offset.
  bool trace_merges() {
    for (Instruction &instruction : instructions(function_))
      if (isa<PHINode, SelectInst>(instruction))
        if (const Trace *known = trace_of(instruction); known && known->kind == Kind::place)
          for (llvm::Value *each : values_of(instruction))
            if (!trace_of(*each) && !isa<UndefValue>(each))
              trace(instruction, {Kind::into});
    return !changed_.empty();
  }

  static SmallVector<llvm::Value *> values_of(Instruction &merge) {
    if (auto *phi = dyn_cast<PHINode>(&merge))
      return {phi->incoming_values().begin(), phi->incoming_values().end()};
    auto &select = cast<SelectInst>(merge);
    return {select.getTrueValue(), select.getFalseValue()};
  }

  // The difference of two addresses in the memory is no address in it. Other differences remain
  // addresses, as of a value that may be an address and one that may be a tag.
  bool trace_differences() {
    for (Instruction &each : instructions(function_)) {
      if (each.getOpcode() != Instruction::Sub)
        continue;
      const Trace *from = trace_of(*each.getOperand(0)), *what = trace_of(*each.getOperand(1));
      if ((from == nullptr) != (what == nullptr))
        trace(each, computed_from(from ? *from : *what));
      else if (from && (from->kind == Kind::anywhere || what->kind == Kind::anywhere))
        trace(each, {Kind::anywhere});
    }
    return !changed_.empty();
  }

  static Trace computed_from(const Trace &trace) {
    return {trace.kind == Kind::place ? Kind::into : trace.kind};
  }

  void pass_on(const Use &use, Instruction &user, const Trace &from) {
    if (auto *element = dyn_cast<GetElementPtrInst>(&user))
      trace(*element, of_element(use, *element, from));
    else if (isa<PHINode, SelectInst, FreezeInst>(user))
      trace(user, from);
    else if (auto *load = dyn_cast<LoadInst>(&user))
      pass_on_loaded(*load, from);
    else if (auto *store = dyn_cast<StoreInst>(&user))
      pass_on_stored(use, *store);
    else if (auto *call = dyn_cast<CallBase>(&user))
      pass_on_to(*call, from);
    else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user))
      pass_on_exchanged(use, user, from);
    else if (isa<BinaryOperator>(user)
                 ? user.getOpcode() != Instruction::Sub
                 : isa<CastInst, InsertValueInst, ExtractValueInst, InsertElementInst,
                       ExtractElementInst, ShuffleVectorInst>(user))
      trace(user, computed_from(from));
  }

  Trace of_element(const Use &use, const GetElementPtrInst &element, const Trace &from) const {
    if (use.getOperandNo() != GetElementPtrInst::getPointerOperandIndex())
      return {Kind::anywhere};
    APInt more(layout_.getIndexTypeSizeInBits(element.getType()), 0);
    if (from.kind != Kind::place || element.getType()->isVectorTy() ||
        !element.accumulateConstantOffset(layout_, more))
      return computed_from(from);
    return {Kind::place, from.offset + more.getSExtValue()};
  }

  // Pointers are also copied as numbers.
  bool may_hold_address(Type &type) const {
    return has_pointer(type) ||
           (!type.isFloatingPointTy() && layout_.getTypeStoreSize(&type).getKnownMinValue() >= 8);
  }

  void pass_on_loaded(LoadInst &load, const Trace &from) {
    if (from.kind < Kind::holder)
      return;
    if (may_hold_address(*load.getType()) || holds_part(load))
      trace(load, {Kind::anywhere});
    else if (from.kind == Kind::holder)
      take_apart();
  }

  // True for a short integer of a variable in which one was stored that an address was made into.
  bool holds_part(LoadInst &load) const {
    auto *variable = dyn_cast<AllocaInst>(getUnderlyingObject(load.getPointerOperand()));
    return load.getType()->isIntegerTy() && variable && parts_.contains(variable);
  }

  // A variable that contains an address is read in parts, or as a floating-point number: pointers
  // made of numbers, or loaded from other variables, may be that address again.
  void take_apart() {
    if (is_taken_apart_)
      return;
    is_taken_apart_ = true;
    for (Instruction &each : instructions(function_)) {
      const auto *load = dyn_cast<LoadInst>(&each);
      if (isa<IntToPtrInst>(each) ||
          (load && has_pointer(*load->getType()) &&
           isa<AllocaInst>(getUnderlyingObject(load->getPointerOperand()))))
        trace(each, {Kind::anywhere});
    }
  }

  void pass_on_stored(const Use &use, StoreInst &store) {
    if (use.getOperandNo() == StoreInst::getPointerOperandIndex())
      return;
    hold(*store.getPointerOperand(), store);
    auto *variable = dyn_cast<AllocaInst>(getUnderlyingObject(store.getPointerOperand()));
    if (variable && use->getType()->isIntegerTy() && !may_hold_address(*use->getType()) &&
        parts_.insert(variable).second)
      changed_.push_back(variable); // its loads are looked at again
  }

  void pass_on_exchanged(const Use &use, Instruction &exchange, const Trace &from) {
    if (use.getOperandNo() != 0)
      hold(*exchange.getOperand(0), exchange);
    else if (from.kind >= Kind::holder)
      trace(exchange, {Kind::anywhere});
  }

  // Records that `where` contains a traced value after `by`.
  void hold(llvm::Value &where, Instruction &by) {
    SmallVector<const llvm::Value *> objects;
    getUnderlyingObjects(&where, objects, nullptr, /*MaxLookup=*/0);
    for (const llvm::Value *object : objects)
      if (const auto *variable = dyn_cast<AllocaInst>(object))
        trace(const_cast<AllocaInst &>(*variable), {Kind::holder});
      else
        save(by);
  }

  void save(Instruction &by) {
    if (may_be_saved_ || places_.saved_at)
      return;
    places_.saved_at = &by;
    for (Instruction &each : instructions(function_))
      if (may_lead_to_saved(each))
        trace(each, {Kind::anywhere});
  }

  static bool may_lead_to_saved(const Instruction &instruction) {
    if (isa<LoadInst, LandingPadInst, AtomicRMWInst, AtomicCmpXchgInst, VAArgInst>(instruction))
      return has_pointer(*instruction.getType());
    const auto *call = dyn_cast<CallBase>(&instruction);
    return isa<IntToPtrInst>(instruction) || (call && may_return_saved(*call));
  }

  static bool may_return_saved(const CallBase &call) {
    return has_pointer(*call.getType()) && !call.returnDoesNotAlias() &&
           !compiler::as_local(const_cast<CallBase &>(call)) && !call.doesNotAccessMemory();
  }

  void pass_on_to(CallBase &call, const Trace &from) {
    if (is_of_no_effect(call) || compiler::as_local(call))
      return;
    if (auto *transfer = dyn_cast<MemTransferInst>(&call)) {
      if (const Trace *source = trace_of(*transfer->getRawSource());
          source && source->kind >= Kind::holder)
        hold(*transfer->getRawDest(), call);
      return;
    }
    if (call.doesNotAccessMemory()) {
      if (!call.getType()->isVoidTy())
        trace(call, computed_from(from));
      return;
    }
    if (!call.getType()->isVoidTy() && !call.returnDoesNotAlias() &&
        (has_pointer(*call.getType()) ||
         (call.onlyReadsMemory() && may_hold_address(*call.getType()))))
      trace(call, {Kind::anywhere});
    if (call.onlyReadsMemory() || isa<MemSetInst>(call) || keeps_nothing(call))
      return;
    save(call);
    for (llvm::Value *argument : call.args())
      if (argument->getType()->isPointerTy())
        hold(*argument, call);
  }

  // A callee that keeps no pointer to the holder may still copy its content.
  bool keeps_nothing(const CallBase &call) const {
    for (const Use &use : call.data_ops())
      if (const Trace *trace = trace_of(*use);
          trace && (trace->kind >= Kind::holder || !call.isArgOperand(&use) ||
                    !call.doesNotCapture(call.getArgOperandNo(&use))))
        return false;
    return true;
  }

  void look_at(Instruction &instruction) {
    if (compiler::as_local(instruction) || compiler::as_publish(instruction) ||
        !(instruction.mayReadOrWriteMemory() || isa<CallBase>(instruction)))
      return;
    if (auto *call = dyn_cast<CallBase>(&instruction); call && !is_plain_memory_intrinsic(*call))
      return look_at_call(*call);
    for (Use &use : instruction.operands())
      if (const Trace *known = trace_of(*use))
        look_at(use, *known);
  }

  static bool is_plain_memory_intrinsic(const CallBase &call) {
    const auto *memory = dyn_cast<MemIntrinsic>(&call);
    return memory && !memory->isVolatile() && isa<ConstantInt>(memory->getLength());
  }

  void look_at_call(CallBase &call) {
    if (is_of_no_effect(call) || call.doesNotAccessMemory())
      return;
    const bool is_given_one =
        any_of(call.data_ops(), [&](const Use &use) { return trace_of(*use) != nullptr; });
    if (!is_given_one && !(places_.saved_at && may_access_saved(call)))
      return;
    places_.others_are_accesses |= !is_given_one;
    if (isa<CallInst>(call))
      places_.accesses.push_back({&call, nullptr, std::nullopt, 0, !call.onlyReadsMemory()});
    else
      places_.problem = "a call that may access it may end by an exception that is caught";
  }

  static bool may_access_saved(const CallBase &call) {
    return !call.onlyAccessesInaccessibleMemory() && !call.onlyAccessesArgMemory();
  }

  void look_at(Use &use, const Trace &trace) {
    auto &user = *cast<Instruction>(use.getUser());
    if (const auto *load = dyn_cast<LoadInst>(&user)) {
      add(use, trace, *load->getType(), /*writes=*/false, load->isSimple());
    } else if (const auto *store = dyn_cast<StoreInst>(&user)) {
      if (use.getOperandNo() == StoreInst::getPointerOperandIndex())
        add(use, trace, *store->getValueOperand()->getType(), /*writes=*/true, store->isSimple());
    } else if (auto *memory = dyn_cast<MemIntrinsic>(&user)) {
      if (use.getOperandNo() < 2)
        add(use, trace, cast<ConstantInt>(memory->getLength())->getZExtValue(),
            use.getOperandNo() == 0, /*is_simple=*/true);
    } else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(user)) {
      if (use.getOperandNo() == 0)
        add(use, trace, *user.getOperand(1)->getType(), /*writes=*/true, /*is_simple=*/false);
    } else {
      places_.problem =
          "what becomes of a pointer into it is not plain: " + std::string(user.getOpcodeName());
    }
  }

  void add(Use &use, const Trace &trace, Type &type, bool writes, bool is_simple) {
    const TypeSize size = layout_.getTypeStoreSize(&type);
    if (size.isScalable())
      places_.problem = "it is accessed by vectors whose size is not known";
    else
      add(use, trace, size.getFixedValue(), writes, is_simple);
  }

  void add(Use &use, const Trace &trace, std::uint64_t size, bool writes, bool is_simple) {
    auto &user = *cast<Instruction>(use.getUser());
    if (trace.kind == Kind::holder)
      return;
    if (trace.kind != Kind::place) {
      places_.accesses.push_back({&user, &use, std::nullopt, 0, writes});
      return;
    }
    const std::int64_t end = trace.offset + static_cast<std::int64_t>(size);
    if (end <= 0 || trace.offset >= bytes_)
      return;
    if (trace.offset < 0 || end > bytes_) {
      places_.problem = "something is accessed that lies in it in part";
      return;
    }
    const auto offset = is_simple ? std::optional(trace.offset) : std::nullopt;
    places_.accesses.push_back({&user, &use, offset, size, writes});
  }

  Function &function_;
  const DataLayout &layout_;
  std::int64_t bytes_;
  bool may_be_saved_;
  bool is_taken_apart_ = false;
  MapVector<llvm::Value *, Trace> traces_;
  SmallVector<llvm::Value *> changed_;
  SmallPtrSet<const AllocaInst *, 4> parts_;
  LocalPlaces places_;
};

} // namespace

LocalPlaces find_local_places(const std::vector<CallInst *> &marks, std::uint64_t bytes,
                              bool may_be_saved) {
  return Finder(marks, bytes, may_be_saved).run();
}

} // namespace sartor::compiler
