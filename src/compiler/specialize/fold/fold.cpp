// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/fold/fold.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "compiler/frontend/clone.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/readable.h"
#include "compiler/specialize/blocks.h"
#include "compiler/specialize/extract.h"
#include "compiler/specialize/fast_path.h"
#include "compiler/specialize/fold/evaluate.h"
#include "compiler/specialize/fold/inline_choice.h"
#include "compiler/specialize/fold/keep_loads.h"
#include "compiler/specialize/follow/follow.h"
#include "compiler/specialize/follow/tail_web.h"
#include "compiler/specialize/regions.h"
#include "compiler/specialize/simplifier.h"
#include "core/request/invariant_memory.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// Invariant memory that makes no calls: a call depends on all invariants, including those that
/// only a later stage reaches.
class WithoutCalls final : public core::InvariantMemory {
public:
  explicit WithoutCalls(core::InvariantMemory &memory) : memory_(memory) {}

  [[nodiscard]] std::uint64_t number() const override { return memory_.number(); }
  const Result<core::Reached> &read() override { return memory_.read(); }
  [[nodiscard]] bool is_read() const override { return memory_.is_read(); }
  [[nodiscard]] const std::string &name() const override { return memory_.name(); }
  std::optional<std::string> fetch(std::uintptr_t address, std::size_t size) override {
    return memory_.fetch(address, size);
  }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t>,
                                    const core::NativeCall &) override {
    return std::nullopt;
  }

private:
  core::InvariantMemory &memory_;
};

// Each round can look one call or one level of pointers deeper; recursion is unfolded in the first
// few.
constexpr unsigned kMostRounds = 40;
constexpr unsigned kMostLevels = 12;
// Limit on the size of a function that grows by inlining.
constexpr unsigned kMostInstructions = 20000;
// Functions of more instructions are not inlined at several places if one copy can serve all calls.
constexpr unsigned kLarge = 30;

// Hides floating-point constants from cloning, which would fold operations on them without the
// machine's NaNs (compiler/frontend/machine_nans.h).
void hide_numbers(CallBase &call) {
  for (Use &argument : call.args())
    if (isa<Constant>(argument) && argument->getType()->isFPOrFPVectorTy())
      argument.set(new FreezeInst(argument, "", call.getIterator()));
}

class Folder {
public:
  Folder(Module &module, const core::Reached &reached, core::InvariantMemory *memory,
         const std::map<std::string, void *, std::less<>> &symbols, std::vector<Remark> &remarks)
      : module_(module), regions_(reached, memory, symbols, module),
        evaluator_(regions_, symbols, module.getDataLayout()), choice_(regions_),
        remarks_(remarks) {}

  // Folds handlers first: little of the functions that they inline remains once their purpose is
  // known. `levels` limits the rounds that unfold recursion.
  void fold_handlers(unsigned levels) {
    for (Function &function : module_)
      if (!function.isDeclaration() && function.hasExternalLinkage() &&
          compiler::is_handler(function))
        first_.push_back(&function);
    for (std::size_t i = 0; i < first_.size(); ++i)
      fold(*first_[i], /*thoroughly=*/true, levels);
  }

  Result<void> run() {
    fold_handlers(kMostLevels);
    for (Function *left : leave_far_functions(module_, first_))
      choice_.forget(*left);
    drop_unused_functions();
    for (Function &function : module_)
      if (!function.isDeclaration() && !is_contained(first_, &function))
        fold(function, /*thoroughly=*/false, kMostLevels);
    drop_unused_functions();
    for (Function &function : module_)
      if (!function.isDeclaration()) {
        if (auto harmless = check_stores(function); !harmless)
          return harmless;
        report_calls_left(function);
      }
    for (const std::string &name : evaluator_.failed())
      remarks_.push_back({RemarkCode::fold_call_failed,
                          name +
                              "() gave no result when it was called: it has faulted or thrown, was "
                              "refused, or an invariant was revoked; the variant calls it"});
    return {};
  }

  [[nodiscard]] const std::set<std::uint64_t> &invariants() const { return regions_.invariants(); }
  void report(FoldReport &folded) const { report_.add_to(folded, module_); }

private:
  /// A function and the known values of its arguments, by index.
  using NarrowedKey = std::pair<Function *, std::map<unsigned, Constant *>>;

  void fold(Function &function, bool thoroughly, unsigned levels) {
    FollowBudget left;
    FollowLimits met;
    if (thoroughly)
      inline_ahead(function);
    for (unsigned round = 0; round < kMostRounds; ++round) {
      forget_volatile(function);
      std::optional<TailWebs> webs;
      if (thoroughly && round < levels)
        webs.emplace(function, evaluator_);
      if (webs && !webs->empty()) // values that operations load from a frame may steer the loop
        simplifier_.forward(function);
      const bool followed = follow(function, evaluator_, left, met, report_, round == 0);
      if (webs)
        webs->finish();
      const bool inlined = inline_calls(function, thoroughly, round < levels);
      const bool narrowed = narrow_misses(function);
      const bool dropped = drop_unused_calls(function);
      if (!followed && !inlined && !narrowed && !dropped)
        break;
      simplifier_.run(function);
    }
    report_limits(function, met);
    if (thoroughly && levels > 0) {
      evaluator_.enter(function);
      const std::size_t before = remarks_.size();
      report_tail_webs(function, evaluator_, remarks_);
      if (remarks_.size() > before)
        report_.note_extent(Followed::in_part);
    }
  }

  void report_limits(const Function &function, const FollowLimits &met) {
    if (met.copies_in_part > 0)
      report_.note_extent(Followed::in_part);
    if (met.gave_up)
      report_.note_extent(Followed::no);
    if (met.copies_in_part > 0)
      remarks_.push_back({RemarkCode::loop_in_part,
                          "a loop over invariant memory in " + compiler::readable(function) +
                              " is followed in part: beyond " + std::to_string(met.copies_in_part) +
                              " copies of its blocks it goes on as it is" +
                              compiler::place_text(met.place)});
    if (met.gave_up)
      remarks_.push_back({RemarkCode::loop_not_followed,
                          "a loop over invariant memory in " + compiler::readable(function) +
                              " is not followed: the code would grow too much" +
                              compiler::place_text(met.place)});
  }

  // `volatile` and relaxed atomic loads declare that the memory may change at any time; the
  // invariant declares that it does not.
  void forget_volatile(Function &function) {
    evaluator_.enter(function);
    for (Instruction &instruction : instructions(function)) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (!load || !load->hasMetadata(kMayFold))
        continue;
      Constant *pointer = evaluator_.always(*load->getPointerOperand());
      const auto address = pointer ? regions_.address_of(*pointer) : std::nullopt;
      if (!address || !regions_.load(*address, *load->getType()))
        continue;
      load->setVolatile(false);
      load->setAtomic(AtomicOrdering::NotAtomic);
    }
  }

  // Code that writes to invariant memory would continue with the values that were folded.
  Result<void> check_stores(Function &function) {
    evaluator_.enter(function);
    for (Instruction &instruction : instructions(function)) {
      const auto [pointer, size] = written_by(instruction);
      Constant *place = pointer ? evaluator_.always(*pointer) : nullptr;
      const auto address = place ? regions_.address_of(*place) : std::nullopt;
      if (address && regions_.overlaps(*address, size))
        return std::unexpected(Failure{
            ErrorCode::bad_invariant, function.getName().str(),
            "writes to invariant memory, at 0x" + utohexstr(*address, true),
            "declare only the fields that do not change (Runtime::invariant, add_part()), or "
            "leave the writing to other code"});
    }
    return {};
  }

  // Must be called after check_stores() of the same function.
  void report_calls_left(Function &function) {
    const Blocks likely = likely_blocks(function);
    for (Instruction &instruction : instructions(function))
      if (const auto *call = dyn_cast<CallBase>(&instruction);
          call && evaluator_.is_left(*call) && likely.contains(call->getParent())) {
        const std::string name = compiler::readable(*call->getCalledFunction());
        if (!evaluator_.failed().contains(name))
          remarks_.push_back(
              {RemarkCode::fold_call_uncertain,
               name +
                   "() is called by the variant: not every call of the handler calls it, "
                   "or an argument is null or points to memory that is not invariant" +
                   compiler::place_text(call->getDebugLoc())});
      }
  }

  // Returns where an instruction writes, and the least number of bytes.
  std::pair<llvm::Value *, std::uint64_t> written_by(Instruction &instruction) {
    const DataLayout &layout = module_.getDataLayout();
    const auto size_of = [&](const llvm::Value *value) {
      return layout.getTypeStoreSize(value->getType()).getKnownMinValue();
    };
    if (auto *store = dyn_cast<StoreInst>(&instruction))
      return {store->getPointerOperand(), size_of(store->getValueOperand())};
    if (auto *update = dyn_cast<AtomicRMWInst>(&instruction))
      return {update->getPointerOperand(), size_of(update->getValOperand())};
    if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      return {exchange->getPointerOperand(), size_of(exchange->getNewValOperand())};
    if (auto *memory = dyn_cast<MemIntrinsic>(&instruction))
      if (const auto *length = dyn_cast<ConstantInt>(memory->getLength()))
        return {memory->getDest(), length->getZExtValue()};
    return {nullptr, 0};
  }

  bool inline_calls(Function &caller, bool thoroughly, bool unfold) {
    // Bodies are inlined as they are, so recursion unfolds one level per round.
    std::vector<CallBase *> calls;
    for (Instruction &instruction : instructions(caller))
      if (auto *call = dyn_cast<CallBase>(&instruction);
          call && !is_contained(first_, call->getCalledFunction()) &&
          choice_.should_inline(*call, thoroughly, unfold))
        calls.push_back(call);
    const bool shared = thoroughly && share(calls);
    return inline_all(caller, std::move(calls)) || shared;
  }

  // Inlines calls that determine where a loop continues: a loop followed before they are known
  // would stay generic.
  void inline_ahead(Function &caller) {
    for (;;) {
      evaluator_.enter(caller);
      const auto calls = steering_calls(caller, [&](CallBase &call) {
        return !is_contained(first_, call.getCalledFunction()) &&
               choice_.should_inline_ahead(call, evaluator_);
      });
      if (!inline_all(caller, calls))
        return;
      simplifier_.run(caller);
    }
  }

  bool inline_all(Function &caller, std::vector<CallBase *> calls) {
    bool changed = false;
    unsigned size = caller.getInstructionCount();
    for (std::size_t i = 0; i < calls.size(); ++i) { // `calls` becomes longer
      CallBase *call = calls[i];
      const unsigned more = call->getCalledFunction()->getInstructionCount();
      if (size + more > kMostInstructions) {
        remarks_.push_back({RemarkCode::calls_not_inlined,
                            "calls in " + compiler::readable(caller) +
                                " are not inlined any more: it would grow to more than " +
                                std::to_string(kMostInstructions) + " instructions" +
                                compiler::place_text(call->getDebugLoc())});
        continue;
      }
      hide_numbers(*call);
      InlineFunctionInfo info;
      if (InlineFunction(*call, info).isSuccess()) {
        changed = true;
        size += more;
        for (CallBase *inner : info.InlinedCallSites) // need not wait for the next round
          if (choice_.is_accessor(*inner) && !is_contained(first_, inner->getCalledFunction()))
            calls.push_back(inner);
      }
    }
    return changed;
  }

  // Makes one copy of a large function for several calls with the same known arguments.
  bool share(std::vector<CallBase *> &calls) {
    std::map<NarrowedKey, std::vector<CallBase *>> same;
    for (CallBase *call : calls)
      if (call->getCalledFunction()->getInstructionCount() > kLarge)
        if (auto known = known_arguments(*call); !known.empty())
          same[{call->getCalledFunction(), std::move(known)}].push_back(call);
    bool changed = false;
    for (auto &[key, sharers] : same) {
      if (sharers.size() < 2)
        continue;
      for (CallBase *call : sharers) {
        if (narrow(*call) && !is_contained(first_, call->getCalledFunction()))
          first_.push_back(call->getCalledFunction());
        std::erase(calls, call);
      }
      changed = true;
    }
    return changed;
  }

  // Calls behind a fast path are not inlined, but call a copy for their invariant arguments.
  bool narrow_misses(Function &caller) {
    bool changed = false;
    for (Instruction &instruction : instructions(caller))
      if (auto *call = dyn_cast<CallBase>(&instruction); call && call->hasFnAttr(kMissAttribute))
        changed = narrow(*call) || changed;
    return changed;
  }

  // Removes unused calls of functions with SARTOR_FOLD, which have no effect but their result. LLVM
  // only removes calls of functions that it proves to be pure. A result in memory is used.
  static bool drop_unused_calls(Function &caller) {
    bool changed = false;
    for (Instruction &instruction : make_early_inc_range(instructions(caller)))
      if (auto *call = dyn_cast<CallInst>(&instruction);
          call && call->use_empty() && !call->getType()->isVoidTy() && call->getCalledFunction() &&
          call->getCalledFunction()->hasFnAttribute(compiler::kFoldAttribute)) {
        call->eraseFromParent();
        changed = true;
      }
    return changed;
  }

  // A by-value parameter points to a copy made by the call, not to the argument: only inlining
  // handles the copy.
  std::map<unsigned, Constant *> known_arguments(CallBase &call) {
    std::map<unsigned, Constant *> known;
    for (Argument &parameter : call.getCalledFunction()->args())
      if (Constant *address = choice_.telling(call, parameter.getArgNo());
          address && !parameter.use_empty() && !parameter.hasPassPointeeByValueCopyAttr())
        known.emplace(parameter.getArgNo(), address);
    return known;
  }

  bool narrow(CallBase &call) {
    Function *callee = call.getCalledFunction();
    if (!callee || callee->isDeclaration() || callee->isVarArg() ||
        callee->hasFnAttribute(Attribute::NoInline) ||
        callee->hasFnAttribute(compiler::kFoldAttribute))
      return false;
    const std::map<unsigned, Constant *> known = known_arguments(call);
    if (known.empty())
      return false;
    Function *&copy = narrowed_[{callee, known}];
    if (!copy) {
      copy = compiler::copy_function(*callee);
      copy->setLinkage(GlobalValue::InternalLinkage);
      for (const auto &[index, address] : known)
        copy->getArg(index)->replaceAllUsesWith(address);
    }
    call.setCalledFunction(copy);
    return true;
  }

  // Functions that only invariant memory pointed to need not be optimised if no call of them
  // remains.
  void drop_unused_functions() {
    for (bool found = true; found;) {
      found = false;
      for (Function &function : make_early_inc_range(module_))
        if (function.use_empty() && function.isDiscardableIfUnused()) {
          choice_.forget(function);
          std::erase_if(narrowed_, [&](const auto &narrowed) {
            return narrowed.first.first == &function || narrowed.second == &function;
          });
          function.eraseFromParent();
          found = true;
        }
    }
  }

  Module &module_;
  Regions regions_;
  Evaluator evaluator_;
  InlineChoice choice_;
  Simplifier simplifier_;
  FoldRecorder report_;
  std::vector<Remark> &remarks_;
  std::vector<Function *> first_; ///< Handlers, and copies shared by several calls in them.
  std::map<NarrowedKey, Function *> narrowed_;
};

} // namespace

Result<std::set<std::uint64_t>> fold(Module &module, const core::Reached &reached,
                                     core::InvariantMemory *memory,
                                     const std::map<std::string, void *, std::less<>> &symbols,
                                     std::vector<Remark> &remarks, FoldReport &folded) {
  Folder folder(module, reached, memory, symbols, remarks);
  if (auto done = folder.run(); !done)
    return std::unexpected(std::move(done.error()));
  folder.report(folded);
  return folder.invariants();
}

void fold_handlers(Module &module, const core::Reached &reached, core::InvariantMemory &memory,
                   const std::map<std::string, void *, std::less<>> &symbols,
                   std::vector<std::uint64_t> &invariants, std::vector<Remark> &remarks,
                   FoldReport &folded) {
  if (reached.regions.empty())
    return;
  WithoutCalls no_calls(memory);
  Folder folder(module, reached, &no_calls, symbols, remarks);
  folder.fold_handlers(/*levels=*/0); // the depth of recursion is not known yet
  invariants.insert(invariants.end(), folder.invariants().begin(), folder.invariants().end());
  folder.report(folded);
}

} // namespace sartor::compiler
