// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/analysis/comparable.h"

#include <map>
#include <optional>
#include <utility>

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "compiler/frontend/analyses.h"
#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/analysis/purity.h"
#include "compiler/frontend/inlined_copy.h"
#include "compiler/frontend/left_out.h"
#include "compiler/frontend/llvm_version.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/prepare.h"
#include "core/space/readable_name.h"

namespace sartor::compiler {

using namespace llvm;
using core::Comparison;
using core::NotCompared;

namespace {

// Larger handlers are not analyzed: an interpreter would take seconds, and is seldom bounded.
constexpr std::size_t kMostInstructions = 20'000;

std::size_t instruction_count(const SetVector<Function *> &functions) {
  std::size_t count = 0;
  for (Function *function : functions)
    count += function->getInstructionCount();
  return count;
}

/// True for a call of an allocator that comparisons in child processes do not know: stores
/// to its memory may be left out if nothing reads them.
bool is_unknown_allocator(const CallBase &call, const TargetLibraryInfo &library) {
  LibFunc known{};
  return call.returnDoesNotAlias() && call.getType()->isPointerTy() &&
         !library.getLibFunc(call, known);
}

/// The reason why calls of a handler are not compared in a better way.
struct Obstacle {
  std::string reason;
  const Instruction *at = nullptr; ///< Null if it is the handler as a whole.
};

/// The reason why they are not compared at all.
struct Exclusion {
  NotCompared code;
  std::string reason;
  const Instruction *at;
};

/// Returns the construct because of which calls must not be repeated, if there is one.
std::optional<Exclusion> unrepeatable(Function &function) {
  const TargetLibraryInfoImpl functions(triple_of(*function.getParent()));
  const TargetLibraryInfo library(functions, &function);
  for (Instruction &instruction : instructions(function)) {
    if (is_mark(instruction))
      continue;
    if (instruction.isVolatile())
      return Exclusion{NotCompared::volatile_memory, "accesses volatile memory", &instruction};
    if (instruction.isAtomic())
      return Exclusion{NotCompared::atomics, "uses atomic operations", &instruction};
    const auto *call = dyn_cast<CallBase>(&instruction);
    if (!call)
      continue;
    if (const auto *text = dyn_cast<InlineAsm>(call->getCalledOperand());
        text && text->hasSideEffects() && !text->getAsmString().empty())
      return Exclusion{NotCompared::inline_assembly, "has inline assembly", call};
    if (call->hasFnAttr(Attribute::ReturnsTwice))
      return Exclusion{NotCompared::setjmp, "calls setjmp()", call};
    if (is_unknown_allocator(*call, library))
      return Exclusion{NotCompared::allocator, "calls an allocator of the program", call};
  }
  if (const auto begins = blocking_begins_of(function); !begins.empty())
    return Exclusion{NotCompared::blocking, "waits in a sartor_blocking statement", begins.front()};
  return std::nullopt;
}

/// Returns an operation whose result may differ in its last bits, or null.
const Instruction *inexact_operation(Function &function) {
  for (const Instruction &instruction : instructions(function))
    if (const auto *operation = dyn_cast<FPMathOperator>(&instruction);
        operation &&
        (operation->hasAllowReassoc() || operation->hasAllowContract() ||
         operation->hasAllowReciprocal() || operation->hasApproxFunc() || operation->hasNoNaNs() ||
         operation->hasNoInfs() || operation->hasNoSignedZeros()))
      return &instruction;
  return nullptr;
}

/// The size of the numbers of a type that consists of numbers of one floating-point type; or 0.
std::uint32_t float_bytes(Type *type) {
  if (type->isFloatTy())
    return sizeof(float);
  if (type->isDoubleTy())
    return sizeof(double);
  if (const auto *vector = dyn_cast<FixedVectorType>(type))
    return float_bytes(vector->getElementType());
  if (const auto *array = dyn_cast<ArrayType>(type))
    return float_bytes(array->getElementType());
  const auto *structure = dyn_cast<StructType>(type);
  if (!structure || structure->getNumElements() == 0)
    return 0;
  const std::uint32_t first = float_bytes(structure->getElementType(0));
  return all_of(structure->elements(), [&](Type *each) { return float_bytes(each) == first; })
             ? first
             : 0;
}

/// Marks the bytes of a type that are not padding.
void mark_defined(Type *type, const DataLayout &layout, std::size_t at,
                  std::vector<unsigned char> &mask) {
  if (auto *structure = dyn_cast<StructType>(type)) {
    const StructLayout *places = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      mark_defined(structure->getElementType(i), layout, at + places->getElementOffset(i), mask);
  } else if (auto *array = dyn_cast<ArrayType>(type)) {
    for (std::uint64_t i = 0; i < array->getNumElements(); ++i)
      mark_defined(array->getElementType(), layout,
                   at + i * layout.getTypeAllocSize(array->getElementType()), mask);
  } else {
    for (std::size_t i = 0; i < layout.getTypeStoreSize(type) && at + i < mask.size(); ++i)
      mask[at + i] = 0xff;
  }
}

/// The mask of a structure that is returned in registers: it is loaded from a variable of its own
/// type. Nullopt if it is not known.
std::optional<std::vector<unsigned char>> mask_of_object(Function &handler) {
  const DataLayout &layout = handler.getDataLayout();
  std::optional<std::vector<unsigned char>> mask;
  for (BasicBlock &block : handler) {
    auto *leaving = dyn_cast<ReturnInst>(block.getTerminator());
    if (!leaving)
      continue;
    auto *load = dyn_cast<LoadInst>(leaving->getReturnValue());
    auto *variable = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
    if (!variable || mask)
      return std::nullopt;
    mask.emplace(layout.getTypeStoreSize(load->getType()));
    mark_defined(variable->getAllocatedType(), layout, 0, *mask);
  }
  return mask;
}

bool has_padding(Type *type, const DataLayout &layout) {
  std::vector<unsigned char> mask(layout.getTypeAllocSize(type));
  mark_defined(type, layout, 0, mask);
  return is_contained(mask, 0);
}

bool may_copy_padding(const MemTransferInst &copy) {
  if (const MDNode *fields = copy.getMetadata(LLVMContext::MD_tbaa_struct)) {
    std::uint64_t end = 0;
    for (unsigned i = 0; i + 2 < fields->getNumOperands(); i += 3) {
      const auto number = [&](unsigned at) {
        return mdconst::extract<ConstantInt>(fields->getOperand(at))->getZExtValue();
      };
      if (number(i) != end)
        return true;
      end = number(i) + number(i + 1);
    }
    const auto *size = dyn_cast<ConstantInt>(copy.getLength());
    return !size || size->getZExtValue() != end;
  }
  const auto *variable = dyn_cast<AllocaInst>(getUnderlyingObject(copy.getRawSource()));
  return variable && has_padding(variable->getAllocatedType(), variable->getDataLayout());
}

} // namespace

/// The extents of a handler's writes, as expressions of its arguments.
class Comparable::Extents {
public:
  explicit Extents(Function &handler) : copy_(handler, /*as_generic=*/true), analyses_(builder_) {
    FunctionPassManager passes;
    passes.addPass(LoopSimplifyPass());
    passes.addPass(createFunctionToLoopPassAdaptor(LoopRotatePass()));
    passes.run(copy_.function(), analyses_.functions);
    evolution_ = &analyses_.functions.getResult<ScalarEvolutionAnalysis>(copy_.function());
  }

  struct Extent {
    const SCEV *begin;
    const SCEV *end;
  };

  /// Returns the obstacle; nullopt if all writes are bounded.
  std::optional<Obstacle> find(std::vector<Region> &regions, bool are_inexact) {
    for (Instruction &instruction : instructions(copy_.function()))
      if (std::string reason = look_at(instruction); !reason.empty())
        return Obstacle{std::move(reason), &instruction};
    for (Argument *written : written_) {
      if (const Instruction *use = use_beyond_access(*written))
        return Obstacle{"a pointer to the memory that it writes is used for more than access", use};
      std::optional<Extent> extent;
      for (const Access &access : accesses_[written]) {
        const auto each = extent_of(*written, access);
        if (!each)
          return Obstacle{"how much memory it writes is not decided by its arguments alone",
                          access.by};
        extent = extent ? Extent{evolution_->getSMinExpr(extent->begin, each->begin),
                                 evolution_->getSMaxExpr(extent->end, each->end)}
                        : *each;
      }
      regions.push_back({written->getArgNo(), are_inexact ? stored_floats(*written) : 0});
      extents_.push_back(*extent);
    }
    return std::nullopt;
  }

  [[nodiscard]] const Extent &operator[](std::size_t region) const { return extents_[region]; }

  llvm::Value *emit(const SCEV *expression, IRBuilder<> &builder,
                    const std::function<llvm::Value *(unsigned)> &argument) const {
    const auto each = [&](const SCEV *operand) { return emit(operand, builder, argument); };
    switch (expression->getSCEVType()) {
    case scConstant:
      return ConstantInt::get(builder.getContext(), cast<SCEVConstant>(expression)->getAPInt());
    case scUnknown:
      return argument(cast<Argument>(cast<SCEVUnknown>(expression)->getValue())->getArgNo());
    case scTruncate:
      return builder.CreateTrunc(each(cast<SCEVCastExpr>(expression)->getOperand()),
                                 expression->getType());
    case scZeroExtend:
      return builder.CreateZExt(each(cast<SCEVCastExpr>(expression)->getOperand()),
                                expression->getType());
    case scSignExtend:
      return builder.CreateSExt(each(cast<SCEVCastExpr>(expression)->getOperand()),
                                expression->getType());
    case scUDivExpr:
      return builder.CreateUDiv(each(cast<SCEVUDivExpr>(expression)->getLHS()),
                                each(cast<SCEVUDivExpr>(expression)->getRHS()));
    default: {
      const auto *several = cast<SCEVNAryExpr>(expression);
      llvm::Value *result = each(several->getOperand(0));
      for (unsigned i = 1; i < several->getNumOperands(); ++i)
        result = combine(expression->getSCEVType(), builder, result, each(several->getOperand(i)));
      return result;
    }
    }
  }

private:
  struct Access {
    const Instruction *by;
    llvm::Value *pointer;
    llvm::Value *length; ///< Null for `bytes`.
    std::uint64_t bytes;
    Type *stored; ///< Null for loads and copies.
  };

  static llvm::Value *combine(SCEVTypes kind, IRBuilder<> &builder, llvm::Value *one,
                              llvm::Value *other) {
    switch (kind) {
    case scAddExpr:
      return builder.CreateAdd(one, other);
    case scMulExpr:
      return builder.CreateMul(one, other);
    case scSMaxExpr:
      return builder.CreateBinaryIntrinsic(Intrinsic::smax, one, other);
    case scSMinExpr:
      return builder.CreateBinaryIntrinsic(Intrinsic::smin, one, other);
    case scUMaxExpr:
      return builder.CreateBinaryIntrinsic(Intrinsic::umax, one, other);
    default: // scUMinExpr: can_emit() admits no others
      return builder.CreateBinaryIntrinsic(Intrinsic::umin, one, other);
    }
  }

  static bool can_emit(const SCEV *expression) {
    return !SCEVExprContains(expression, [](const SCEV *part) {
      switch (part->getSCEVType()) {
      case scConstant:
      case scTruncate:
      case scZeroExtend:
      case scSignExtend:
      case scAddExpr:
      case scMulExpr:
      case scSMaxExpr:
      case scSMinExpr:
      case scUMaxExpr:
      case scUMinExpr:
        return false;
      case scUDivExpr:
        return !isa<SCEVConstant>(cast<SCEVUDivExpr>(part)->getRHS());
      case scUnknown: {
        const auto *argument = dyn_cast<Argument>(cast<SCEVUnknown>(part)->getValue());
        return !argument || !argument->getType()->isIntegerTy();
      }
      default:
        return true;
      }
    });
  }

  std::string look_at(Instruction &instruction) {
    if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      Type *type = store->getValueOperand()->getType();
      return writes({store, store->getPointerOperand(), nullptr, size_of(type), type});
    }
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      reads({load, load->getPointerOperand(), nullptr, size_of(load->getType()), nullptr});
    } else if (auto *copy = dyn_cast<MemTransferInst>(&instruction)) {
      reads({copy, copy->getRawSource(), copy->getLength(), 0, nullptr});
      if (!is_own(*copy->getRawDest()) && may_copy_padding(*copy))
        return "it copies a structure with padding, whose content is not defined";
      return writes({copy, copy->getRawDest(), copy->getLength(), 0, nullptr});
    } else if (auto *fill = dyn_cast<MemSetInst>(&instruction)) {
      return writes({fill, fill->getRawDest(), fill->getLength(), 0, nullptr});
    } else if (auto *call = dyn_cast<CallBase>(&instruction)) {
      return look_at_call(*call);
    } else if (instruction.mayThrow()) {
      return "it may throw an exception";
    }
    return {};
  }

  static std::string look_at_call(CallBase &call) {
    const Function *callee = call.getCalledFunction();
    if (const auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
        intrinsic && (intrinsic->isAssumeLikeIntrinsic() || !intrinsic->mayHaveSideEffects()))
      return {};
    if (!call.onlyReadsMemory())
      return "it calls " + (callee ? core::readable_name(callee->getName().str()) + "()"
                                   : std::string("through a pointer"));
    if (!call.doesNotThrow())
      return "it may throw an exception";
    return {};
  }

  std::uint64_t size_of(Type *type) const {
    return copy_function().getDataLayout().getTypeStoreSize(type);
  }
  [[nodiscard]] const Function &copy_function() const {
    return const_cast<InlinedCopy &>(copy_).function();
  }

  /// Follows pointers that a loop moves, too.
  llvm::Value *object_of(llvm::Value &pointer) const {
    const SCEV *base = evolution_->getPointerBase(evolution_->getSCEV(&pointer));
    const auto *unknown = dyn_cast<SCEVUnknown>(base);
    return getUnderlyingObject(unknown ? unknown->getValue() : &pointer, /*MaxLookup=*/0);
  }

  bool is_own(llvm::Value &pointer) const {
    const llvm::Value *object = object_of(pointer);
    const auto *argument = dyn_cast<Argument>(object);
    return isa<AllocaInst>(object) || (argument && argument->hasByValAttr());
  }

  void reads(const Access &access) {
    if (auto *argument = dyn_cast<Argument>(object_of(*access.pointer)))
      accesses_[argument].push_back(access);
  }

  std::string writes(const Access &access) {
    if (is_own(*access.pointer))
      return {};
    auto *argument = dyn_cast<Argument>(object_of(*access.pointer));
    if (!argument)
      return "it writes to memory that it does not reach by a parameter alone";
    accesses_[argument].push_back(access);
    written_.insert(argument);
    return {};
  }

  /// Returns a use of a pointer by which more is done than access; null if there is none.
  const Instruction *use_beyond_access(llvm::Value &pointer) const {
    SmallVector<llvm::Value *> pending{&pointer};
    SmallPtrSet<llvm::Value *, 16> seen;
    while (!pending.empty()) {
      llvm::Value *value = pending.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      for (Use &use : value->uses()) {
        auto *user = cast<Instruction>(use.getUser());
        if (isa<GetElementPtrInst>(user)) {
          if (use.getOperandNo() != 0)
            return user;
          pending.push_back(user);
        } else if (auto *store = dyn_cast<StoreInst>(user)) {
          if (store->getValueOperand() == value)
            return user;
        } else if (isa<PHINode>(user) && object_of(*user) == &pointer) {
          pending.push_back(user);
        } else if (!isa<LoadInst>(user) && !isa<MemIntrinsic>(user) &&
                   !(isa<IntrinsicInst>(user) &&
                     cast<IntrinsicInst>(user)->isAssumeLikeIntrinsic())) {
          return user;
        }
      }
    }
    return nullptr;
  }

  std::uint32_t stored_floats(Argument &written) {
    std::uint32_t bytes = 0;
    for (const Access &access : accesses_[&written]) {
      const std::uint32_t each = access.stored ? float_bytes(access.stored) : 0;
      if (access.stored && (each == 0 || (bytes != 0 && each != bytes)))
        return 0;
      bytes = access.stored ? each : bytes;
    }
    return bytes;
  }

  std::optional<Extent> extent_of(Argument &base, const Access &access) {
    const SCEV *offset =
        evolution_->getMinusSCEV(evolution_->getSCEV(access.pointer), evolution_->getSCEV(&base));
    if (isa<SCEVCouldNotCompute>(offset))
      return std::nullopt;
    auto range = bounds(offset);
    if (!range)
      return std::nullopt;
    Type *type = offset->getType();
    const SCEV *size = evolution_->getConstant(type, access.bytes);
    if (access.length) {
      const auto length =
          bounds(evolution_->getTruncateOrZeroExtend(evolution_->getSCEV(access.length), type));
      if (!length)
        return std::nullopt;
      size = length->end;
    }
    range->end = evolution_->getAddExpr(range->end, size);
    if (!can_emit(range->begin) || !can_emit(range->end))
      return std::nullopt;
    return range;
  }

  /// The least and the greatest value of an expression in all iterations of its loops.
  std::optional<Extent> bounds(const SCEV *expression) {
    const auto is_recurrence = [](const SCEV *part) { return isa<SCEVAddRecExpr>(part); };
    if (!SCEVExprContains(expression, is_recurrence))
      return Extent{expression, expression};
    if (const auto *recurrence = dyn_cast<SCEVAddRecExpr>(expression))
      return bounds_of(*recurrence);
    if (const auto *sum = dyn_cast<SCEVAddExpr>(expression))
      return of_each(*sum, [this](SmallVectorImpl<const SCEV *> &parts) {
        return evolution_->getAddExpr(parts);
      });
    if (isa<SCEVSMaxExpr, SCEVSMinExpr, SCEVUMaxExpr, SCEVUMinExpr>(expression))
      return of_each(*cast<SCEVNAryExpr>(expression), [&](SmallVectorImpl<const SCEV *> &parts) {
        return evolution_->getMinMaxExpr(expression->getSCEVType(), parts);
      });
    const auto *product = dyn_cast<SCEVMulExpr>(expression);
    const auto *factor = product && product->getNumOperands() == 2
                             ? dyn_cast<SCEVConstant>(product->getOperand(0))
                             : nullptr;
    if (!factor)
      return std::nullopt;
    auto range = bounds(product->getOperand(1));
    if (!range)
      return std::nullopt;
    Extent scaled{evolution_->getMulExpr(factor, range->begin),
                  evolution_->getMulExpr(factor, range->end)};
    if (factor->getAPInt().isNegative())
      std::swap(scaled.begin, scaled.end);
    return scaled;
  }

  template <class Combine>
  std::optional<Extent> of_each(const SCEVNAryExpr &several, const Combine &combined) {
    SmallVector<const SCEV *> begins;
    SmallVector<const SCEV *> ends;
    for (const SCEV *part : several.operands()) {
      const auto range = bounds(part);
      if (!range)
        return std::nullopt;
      begins.push_back(range->begin);
      ends.push_back(range->end);
    }
    return Extent{combined(begins), combined(ends)};
  }

  std::optional<Extent> bounds_of(const SCEVAddRecExpr &recurrence) {
    if (!recurrence.isAffine())
      return std::nullopt;
    const SCEV *step = recurrence.getStepRecurrence(*evolution_);
    const SCEV *times = evolution_->getBackedgeTakenCount(recurrence.getLoop());
    if (isa<SCEVCouldNotCompute>(times) ||
        SCEVExprContains(step, [](const SCEV *part) { return isa<SCEVAddRecExpr>(part); }))
      return std::nullopt;
    const auto start = bounds(recurrence.getStart());
    const auto most = bounds(evolution_->getTruncateOrZeroExtend(times, recurrence.getType()));
    if (!start || !most)
      return std::nullopt;
    const SCEV *moved = evolution_->getMulExpr(step, most->end);
    const SCEV *none = evolution_->getZero(moved->getType());
    if (evolution_->isKnownNonNegative(step))
      return Extent{start->begin, evolution_->getAddExpr(start->end, moved)};
    if (evolution_->isKnownNonPositive(step))
      return Extent{evolution_->getAddExpr(start->begin, moved), start->end};
    return Extent{evolution_->getAddExpr(start->begin, evolution_->getSMinExpr(none, moved)),
                  evolution_->getAddExpr(start->end, evolution_->getSMaxExpr(none, moved))};
  }

  InlinedCopy copy_;
  PassBuilder builder_;
  Analyses analyses_;
  ScalarEvolution *evolution_ = nullptr;
  SetVector<Argument *> written_;
  std::map<Argument *, std::vector<Access>> accesses_;
  std::vector<Extent> extents_;
};

Comparable::Comparable(Function &handler, const core::HandlerModule &module) {
  const auto &signature = (*module.find(std::string_view(handler_name(handler))))->signature;
  decide(handler, signature ? signature->result.kind == core::Parameter::Kind::object
                            : handler.getReturnType()->isAggregateType());
  if (has_only_checks_left_out(handler))
    restrict_to_process(handler);
}

Comparable::~Comparable() = default;

void Comparable::set(Comparison how, std::string reason, const Function &handler,
                     const Instruction *at) {
  comparability_ = {how, std::move(reason)};
  const DebugLoc place = at ? at->getDebugLoc() : DebugLoc();
  if (place && place.getLine() != 0) {
    comparability_.file = place->getFilename();
    comparability_.line = place.getLine();
  } else if (const DISubprogram *subprogram = handler.getSubprogram(); !at && subprogram) {
    comparability_.file = subprogram->getFilename();
    comparability_.line = subprogram->getLine();
  }
}

void Comparable::exclude(NotCompared code, std::string reason, const Function &handler,
                         const Instruction *at) {
  set(Comparison::none, std::move(reason), handler, at);
  comparability_.code = code;
}

void Comparable::decide(Function &handler, bool returns_object) {
  if (handler.hasFnAttribute(kUnorderedAttribute))
    return exclude(NotCompared::unordered, "it is marked SARTOR_UNORDERED", handler);
  if (const std::string options = left_out_of(handler);
      !options.empty() && !has_only_checks_left_out(handler))
    return exclude(NotCompared::options,
                   "its native code has the hooks, counters or checks of " + options +
                       ", and variants have not",
                   handler);
  if (handler.isVarArg())
    return exclude(NotCompared::variable_arguments, "it takes a variable number of arguments",
                   handler);
  const SetVector<Function *> reached = called_functions(handler);
  const Instruction *inexact = nullptr;
  for (Function *function : reached) {
    if (const auto found = unrepeatable(*function))
      return exclude(found->code,
                     core::readable_name(function->getName().str()) + "() " + found->reason,
                     handler, found->at);
    if (!inexact)
      inexact = inexact_operation(*function);
  }
  Type *result = handler.getReturnType();
  inexact_floats_ = inexact ? float_bytes(result) : 0;
  if (returns_object && !result->isVoidTy()) {
    auto mask = mask_of_object(handler);
    if (!mask)
      return exclude(NotCompared::padding,
                     "it returns a structure, and which of its bytes are padding is not known",
                     handler);
    result_mask_ = std::move(*mask);
  }
  if (instruction_count(reached) > kMostInstructions)
    return set(Comparison::isolated, "it is too large to be analyzed", handler);
  extents_ = std::make_unique<Extents>(handler);
  auto obstacle = extents_->find(regions_, inexact != nullptr);
  // Their last bits may decide about other numbers, and a child process compares bit by bit.
  if (inexact && (obstacle || !regions_.empty() || inexact_floats_ == 0))
    exclude(NotCompared::inexact,
            "its floating-point numbers may differ in their last bits, and they are not its only "
            "result",
            handler, inexact);
  else if (obstacle)
    set(Comparison::isolated, std::move(obstacle->reason), handler, obstacle->at);
  else if (regions_.empty())
    comparability_.how = Comparison::pure;
  else
    comparability_.how = Comparison::writes;
  if (comparability_.how == Comparison::writes)
    return;
  regions_.clear();
  extents_.reset();
}

void Comparable::restrict_to_process(Function &handler) {
  if (comparability_.how == Comparison::isolated) {
    comparability_.how = Comparison::none;
    comparability_.code = NotCompared::sanitizer;
    comparability_.reason = "its native code has the checks of " + left_out_of(handler) +
                            ", which a child process cannot run, and " + comparability_.reason;
  }
  comparability_.never_in_child = comparability_.how != Comparison::none;
}

std::pair<llvm::Value *, llvm::Value *>
Comparable::emit_extent(std::size_t region, IRBuilder<> &builder,
                        const std::function<llvm::Value *(unsigned)> &argument) const {
  const Extents::Extent &extent = (*extents_)[region];
  return {extents_->emit(extent.begin, builder, argument),
          extents_->emit(extent.end, builder, argument)};
}

} // namespace sartor::compiler
