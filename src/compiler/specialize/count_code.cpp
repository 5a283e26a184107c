// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/count_code.h"

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include "compiler/frontend/target.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

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

} // namespace

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

} // namespace sartor::compiler
