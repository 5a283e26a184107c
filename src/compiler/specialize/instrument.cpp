// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/instrument.h"

#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/target.h"
#include "core/profile/layout.h"
#include "core/profile/store.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// Replaces an instruction by code that counts a record in the calling thread's block:
///
///     block = thread's table[store]        none yet: core::record()
///     sampled:   if (--gap >= 0) skip      otherwise: core::record()
///     counters:  ++counter[value - low]    or the one for other values
///     sketch:    if the record's home slot holds it, ++count; otherwise: core::record()
///
/// The inlined code clobbers no register of the surrounding code: it calls a function that saves
/// all registers.
class CountCode {
public:
  CountCode(const core::Counters &counters, unsigned place, std::uint32_t every,
            llvm::Instruction &replaced);

  void write(llvm::ArrayRef<llvm::Value *> words);

private:
  llvm::Value *load(llvm::Type *type, llvm::Value *address);
  void increment(llvm::Value *address, std::int64_t by, llvm::Value **result = nullptr);
  llvm::Value *at(llvm::Value *base, std::size_t offset);
  llvm::Value *find_block();
  void count_down(llvm::Value *block);
  void count_value(llvm::Value *block, llvm::Value *value);
  void count_record(llvm::Value *block, llvm::ArrayRef<llvm::Value *> words);
  void branch(llvm::Value *condition, llvm::BasicBlock *rarely, const char *name);

  const core::Counters &counters_;
  const core::PointPlace &place_;
  std::uint32_t every_;
  std::uint64_t id_;
  llvm::Instruction &replaced_;
  llvm::BasicBlock *after_;
  llvm::BasicBlock *slow_;
  llvm::IRBuilder<> builder_;
};

// On x86, memory addressed relative to the thread pointer.
constexpr unsigned kThreadAddressSpace = 257;

Function *declare_record(Module &module) {
  LLVMContext &context = module.getContext();
  auto *type =
      FunctionType::get(Type::getVoidTy(context),
                        {Type::getInt64Ty(context), PointerType::getUnqual(context)}, false);
  auto *record = cast<Function>(module.getOrInsertFunction(core::kRecord, type).getCallee());
  record->setDoesNotThrow();
  record->setWillReturn();
  record->setNoSync();
  record->setDoesNotFreeMemory();
  record->setOnlyAccessesInaccessibleMemOrArgMem();
  return record;
}

// Creates a function that calls record() with an array of words and preserves the registers that an
// ordinary call clobbers, for callers under register pressure.
Function *slow_function(Module &module, unsigned words, const Function &caller) {
  const std::string name = "sartor.profile.slow." + std::to_string(words);
  if (Function *made = module.getFunction(name))
    return made;
  LLVMContext &context = module.getContext();
  auto *word = Type::getInt64Ty(context);
  const SmallVector<Type *> parameters(words + 1, word);
  auto *slow = Function::Create(FunctionType::get(Type::getVoidTy(context), parameters, false),
                                GlobalValue::InternalLinkage, name, module);
  compiler::target_like(*slow, caller);
  slow->setCallingConv(CallingConv::PreserveMost);
  slow->addFnAttr(Attribute::NoInline);
  slow->addFnAttr(Attribute::Cold);
  slow->setDoesNotThrow();
  slow->setUWTableKind(UWTableKind::Default);
  IRBuilder<> builder(BasicBlock::Create(context, "", slow));
  auto *array = builder.CreateAlloca(word, builder.getInt32(words));
  for (unsigned i = 0; i < words; ++i)
    builder.CreateStore(slow->getArg(i + 1), builder.CreateConstGEP1_32(word, array, i));
  builder.CreateCall(declare_record(module), {slow->getArg(0), array});
  builder.CreateRetVoid();
  return slow;
}

CountCode::CountCode(const core::Counters &counters, unsigned place, std::uint32_t every,
                     Instruction &replaced)
    : counters_(counters), place_(counters.layout.places()[place]), every_(every),
      id_(core::record_id(counters, place, every)), replaced_(replaced),
      after_(replaced.getParent()->splitBasicBlock(replaced.getIterator(), "sartor.counted")),
      slow_(BasicBlock::Create(replaced.getContext(), "sartor.count", replaced.getFunction())),
      builder_(after_->getSinglePredecessor()) {
  builder_.GetInsertBlock()->getTerminator()->eraseFromParent();
}

void CountCode::write(ArrayRef<llvm::Value *> words) {
  llvm::Value *block = find_block();
  if (every_ > 1)
    count_down(block);
  else if (place_.shape.has_counters())
    count_value(block, words.front());
  else
    count_record(block, words);
  builder_.CreateBr(after_);

  builder_.SetInsertPoint(slow_);
  SmallVector<llvm::Value *> arguments{builder_.getInt64(id_)};
  arguments.append(words.begin(), words.end());
  Function *slow = slow_function(*replaced_.getModule(), static_cast<unsigned>(words.size()),
                                 *replaced_.getFunction());
  CallInst *call = builder_.CreateCall(slow, arguments);
  call->setCallingConv(slow->getCallingConv());
  call->setDoesNotThrow();
  builder_.CreateBr(after_);
  replaced_.eraseFromParent();
}

// Volatile, because calls change the memory although LLVM assumes that they do not.
llvm::Value *CountCode::load(Type *type, llvm::Value *address) {
  return builder_.CreateAlignedLoad(type, address, Align(8), /*isVolatile=*/true);
}

void CountCode::increment(llvm::Value *address, std::int64_t by, llvm::Value **result) {
  llvm::Value *sum = builder_.CreateAdd(load(builder_.getInt64Ty(), address),
                                        builder_.getInt64(static_cast<std::uint64_t>(by)));
  builder_.CreateAlignedStore(sum, address, Align(8), /*isVolatile=*/true);
  if (result)
    *result = sum;
}

llvm::Value *CountCode::at(llvm::Value *base, std::size_t offset) {
  return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), base, offset);
}

void CountCode::branch(llvm::Value *condition, BasicBlock *rarely, const char *name) {
  auto *usually = BasicBlock::Create(builder_.getContext(), name, after_->getParent(), after_);
  builder_.CreateCondBr(condition, rarely, usually,
                        MDBuilder(builder_.getContext()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(usually);
}

llvm::Value *CountCode::find_block() {
  auto *pointer = builder_.getPtrTy();
  auto *place =
      ConstantExpr::getIntToPtr(builder_.getInt64(static_cast<std::uint64_t>(counters_.table)),
                                PointerType::get(builder_.getContext(), kThreadAddressSpace));
  llvm::Value *table = load(pointer, place);
  llvm::Value *block = load(pointer, at(table, counters_.slot * sizeof(void *)));
  branch(builder_.CreateIsNull(block), slow_, "sartor.known");
  return block;
}

void CountCode::count_down(llvm::Value *block) {
  llvm::Value *left = nullptr;
  increment(at(block, place_.gap(every_)), -1, &left);
  branch(builder_.CreateICmpSLT(left, builder_.getInt64(0)), slow_, "sartor.passed");
}

void CountCode::count_value(llvm::Value *block, llvm::Value *value) {
  const core::Shape &shape = place_.shape;
  auto *type = builder_.getIntNTy(shape.bits);
  llvm::Value *distance =
      builder_.CreateSub(builder_.CreateTrunc(value, type), ConstantInt::get(type, shape.low));
  llvm::Value *index = builder_.CreateBinaryIntrinsic(
      Intrinsic::umin, builder_.CreateZExt(distance, value->getType()),
      builder_.getInt64(shape.counters));
  increment(builder_.CreateInBoundsGEP(builder_.getInt64Ty(), at(block, place_.data), index), 1);
}

void CountCode::count_record(llvm::Value *block, ArrayRef<llvm::Value *> words) {
  const core::Shape &shape = place_.shape;
  llvm::Value *sum = nullptr;
  for (unsigned i = 0; i < shape.inputs; ++i) {
    llvm::Value *product =
        builder_.CreateMul(words[i], builder_.getInt64(core::Sketch::kFactors[i]));
    sum = sum ? builder_.CreateAdd(sum, product) : product;
  }
  llvm::Value *home = builder_.CreateLShr(sum, 64 - core::Sketch::kSlotBits);
  const std::uint64_t stride = core::Sketch::stride(shape) * sizeof(std::uint64_t);
  llvm::Value *slot = builder_.CreateInBoundsGEP(
      builder_.getInt8Ty(), at(block, place_.data + core::Sketch::slots_offset()),
      builder_.CreateMul(home, builder_.getInt64(stride)));
  llvm::Value *difference = nullptr;
  for (unsigned i = 0; i < words.size(); ++i) {
    llvm::Value *here = builder_.CreateXor(
        load(builder_.getInt64Ty(), at(slot, i * sizeof(std::uint64_t))), words[i]);
    difference = difference ? builder_.CreateOr(difference, here) : here;
  }
  branch(builder_.CreateIsNotNull(difference), slow_, "sartor.home");
  increment(at(slot, words.size() * sizeof(std::uint64_t)), 1);
}

constexpr const char *kSighting = "sartor.sighting.";

llvm::Value *word_of(llvm::Value *value, IRBuilder<> &builder) {
  Type *word = builder.getInt64Ty();
  if (value->getType()->isPointerTy())
    return builder.CreatePtrToInt(value, word);
  Type *bits = builder.getIntNTy(value->getType()->getScalarSizeInBits());
  return builder.CreateZExt(builder.CreateBitCast(value, bits), word);
}

Function *sighting_function(Module &module, unsigned words) {
  LLVMContext &context = module.getContext();
  auto *word = Type::getInt64Ty(context);
  const SmallVector<Type *> parameters(words + 2, word);
  auto *function = cast<Function>(
      module
          .getOrInsertFunction(kSighting + std::to_string(words),
                               FunctionType::get(Type::getVoidTy(context), parameters, false))
          .getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setOnlyAccessesInaccessibleMemory();
  return function;
}

} // namespace

const unsigned *Instrumentation::every(const std::string &label) const {
  const auto found = context_.instrumented.find(label);
  return found == context_.instrumented.end() ||
                 !core::instrument_problem(*space_.find(label)).empty()
             ? nullptr
             : &found->second;
}

void Instrumentation::sight(Instruction &before, const std::string &label,
                            ArrayRef<llvm::Value *> values) const {
  IRBuilder<> builder(&before);
  const auto place = static_cast<std::uint64_t>(space_.find(label) - space_.points().data());
  SmallVector<llvm::Value *> arguments{builder.getInt64(place), builder.getInt64(*every(label))};
  for (llvm::Value *value : values)
    arguments.push_back(word_of(value, builder));
  builder.CreateCall(sighting_function(*before.getModule(), static_cast<unsigned>(values.size())),
                     arguments);
}

void Instrumentation::instrument_points(Function &function) const {
  for (CallInst *call : compiler::points_of(function))
    if (auto mark = compiler::read_mark(*call); mark && every(mark->label))
      sight(*call, mark->label, compiler::watched_value(*call));
}

void Instrumentation::instrument_call(Function &wrapper, const CallMark &mark) const {
  if (!every(mark.label))
    return;
  SmallVector<llvm::Value *> inputs;
  for (unsigned i = 0; i < mark.arguments.size(); ++i)
    inputs.push_back(wrapper.getArg(i));
  IRBuilder<> builder(&*wrapper.getEntryBlock().getFirstInsertionPt());
  if (inputs.empty())
    inputs.push_back(builder.getInt64(0));
  // The version is read before the call: otherwise an outdated result would be recorded with the
  // new version.
  llvm::Value *version = nullptr;
  if (mark.version_bytes) {
    auto *load = builder.CreateAlignedLoad(
        builder.getIntNTy(mark.version_bytes * 8),
        wrapper.getArg(static_cast<unsigned>(wrapper.arg_size()) - 1), Align(mark.version_bytes));
    load->setAtomic(AtomicOrdering::Acquire);
    version = load;
  }
  for (BasicBlock &block : wrapper)
    if (auto *end = dyn_cast<ReturnInst>(block.getTerminator())) {
      SmallVector<llvm::Value *> values = inputs;
      values.push_back(end->getReturnValue());
      if (version)
        values.push_back(version);
      sight(*end, mark.label, values);
    }
}

void Instrumentation::finish(Module &module) const {
  std::vector<CallInst *> sightings;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (is_sighting(instruction))
        sightings.push_back(cast<CallInst>(&instruction));
  for (CallInst *sighting : sightings) {
    auto number = [&](unsigned operand) {
      return cast<ConstantInt>(sighting->getArgOperand(operand))->getZExtValue();
    };
    const SmallVector<llvm::Value *> words(drop_begin(sighting->args(), 2));
    CountCode(*context_.profile, static_cast<unsigned>(number(0)),
              static_cast<std::uint32_t>(number(1)), *sighting)
        .write(words);
  }
  for (Function &function : make_early_inc_range(module))
    if (function.isDeclaration() && function.use_empty() &&
        function.getName().starts_with(kSighting))
      function.eraseFromParent();
}

bool is_sighting(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with(kSighting);
}

bool sights_from(BasicBlock &place) {
  const auto sights = [](Instruction &instruction) {
    if (is_sighting(instruction))
      return true;
    auto *call = dyn_cast<CallBase>(&instruction);
    Function *callee = call ? call->getCalledFunction() : nullptr;
    return callee && !callee->isDeclaration() &&
           any_of(compiler::reachable_functions(*callee),
                  [](Function *reached) { return any_of(instructions(*reached), is_sighting); });
  };
  SmallVector<BasicBlock *> work{&place};
  SmallPtrSet<BasicBlock *, 16> seen(work.begin(), work.end());
  while (!work.empty()) {
    BasicBlock *block = work.pop_back_val();
    if (any_of(*block, sights))
      return true;
    for (BasicBlock *next : successors(block))
      if (seen.insert(next).second)
        work.push_back(next);
  }
  return false;
}

} // namespace sartor::compiler
