// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/fast_path.h"

#include <map>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>

#include "compiler/specialize/fold/identity.h"
#include "compiler/specialize/kernel/perfect_hash.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Up to this number of answers, a chain of comparisons is as fast as a table, and the answers are
// constants for the code that follows.
constexpr std::size_t kLongestChain = 2;
// Multiplier that mixes the words of an input into one key.
constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;

std::uint64_t key_of(const std::vector<std::uint64_t> &inputs) {
  std::uint64_t key = inputs.front();
  for (std::size_t i = 1; i < inputs.size(); ++i)
    key = (key ^ key >> 32) * kMix ^ inputs[i];
  return key;
}

std::uint64_t mask_of(unsigned bits) { return bits >= 64 ? ~0ULL : (1ULL << bits) - 1; }

/// Generates the code in front of the call that the wrapper already contains.
class Answering {
public:
  Answering(Function &wrapper, const CallMark &mark)
      : wrapper_(wrapper), mark_(mark), layout_(wrapper.getDataLayout()), call_(wrapper.begin()),
        builder_(BasicBlock::Create(wrapper.getContext(), "sartor.answers", &wrapper, &*call_)) {}

  void write(const core::Answers &answers) {
    if (mark_.version_bytes)
      check_version(answers.version);
    if (answers.list.size() <= kLongestChain)
      write_chain(answers.list);
    else
      write_table(answers.list);
    wrapped_callee_is_cold();
  }

private:
  BasicBlock *block(const char *name) {
    return BasicBlock::Create(wrapper_.getContext(), name, &wrapper_, &*call_);
  }

  void check_version(std::uint64_t version) {
    auto *type = builder_.getIntNTy(mark_.version_bytes * 8);
    auto *pointer = wrapper_.getArg(static_cast<unsigned>(wrapper_.arg_size()) - 1);
    auto *now = builder_.CreateAlignedLoad(type, pointer, Align(mark_.version_bytes));
    now->setAtomic(AtomicOrdering::Acquire);
    BasicBlock *current = block("sartor.current");
    builder_.CreateCondBr(builder_.CreateICmpEQ(now, ConstantInt::get(type, version)), current,
                          &*call_, likely());
    builder_.SetInsertPoint(current);
  }

  llvm::Value *word_of(unsigned argument) {
    llvm::Value *value = wrapper_.getArg(argument);
    if (value->getType()->isPointerTy())
      return builder_.CreatePtrToInt(value, builder_.getInt64Ty());
    Type *bits = builder_.getIntNTy(value->getType()->getScalarSizeInBits());
    return builder_.CreateZExt(builder_.CreateBitCast(value, bits), builder_.getInt64Ty());
  }

  llvm::Value *result_of(std::uint64_t bits) {
    Type *type = wrapper_.getReturnType();
    if (type->isPointerTy())
      return based_on_inputs(ConstantExpr::getIntToPtr(builder_.getInt64(bits), type));
    auto *integer = builder_.getIntNTy(type->getScalarSizeInBits());
    return ConstantExpr::getBitCast(
        ConstantInt::get(integer, bits & mask_of(integer->getBitWidth())), type);
  }

  // A returned pointer may point into the objects that the arguments point to.
  llvm::Value *based_on_inputs(llvm::Value *result) {
    if (const auto *known = dyn_cast<Constant>(result); known && may_stand_for_pointer(*known))
      return result;
    SmallVector<llvm::Value *> sources;
    for (unsigned i = 0; i < mark_.arguments.size(); ++i)
      if (wrapper_.getArg(i)->getType()->isPointerTy())
        sources.push_back(wrapper_.getArg(i));
    return sources.empty() ? result : pointer_based_on(builder_, *result, sources);
  }

  void write_chain(const std::vector<core::Answer> &list) {
    for (const core::Answer &answer : list) {
      llvm::Value *equal = nullptr;
      for (unsigned i = 0; i < answer.inputs.size(); ++i) {
        llvm::Value *same = builder_.CreateICmpEQ(word_of(i), builder_.getInt64(answer.inputs[i]));
        equal = equal ? builder_.CreateAnd(equal, same) : same;
      }
      BasicBlock *hit = block("sartor.answer");
      BasicBlock *next = &answer == &list.back() ? &*call_ : block("sartor.next");
      builder_.CreateCondBr(equal, hit, next);
      builder_.SetInsertPoint(hit);
      builder_.CreateRet(result_of(answer.result));
      builder_.SetInsertPoint(next);
    }
  }

  // Uses the narrowest element type, so that more of the table fits into the cache.
  GlobalVariable *table(Type *type, const std::vector<std::uint64_t> &words, const char *name) {
    Constant *contents = nullptr;
    auto narrowed = [&]<class T>(T) {
      std::vector<T> narrow;
      for (const std::uint64_t word : words)
        narrow.push_back(static_cast<T>(word));
      contents = ConstantDataArray::get(wrapper_.getContext(), ArrayRef<T>(narrow));
    };
    switch (type->getIntegerBitWidth()) {
    case 8:
      narrowed(std::uint8_t{});
      break;
    case 16:
      narrowed(std::uint16_t{});
      break;
    case 32:
      narrowed(std::uint32_t{});
      break;
    default:
      narrowed(std::uint64_t{});
    }
    auto *made = new GlobalVariable(*wrapper_.getParent(), contents->getType(), /*isConstant=*/true,
                                    GlobalValue::PrivateLinkage, contents, name);
    made->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    made->setAlignment(Align(64));
    return made;
  }

  Type *stored_type(Type *type) {
    const std::uint64_t bits = layout_.getTypeSizeInBits(type).getFixedValue();
    return builder_.getIntNTy(bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64);
  }

  llvm::Value *load(GlobalVariable *from, Type *element, llvm::Value *index) {
    return builder_.CreateLoad(element, builder_.CreateInBoundsGEP(element, from, index));
  }

  llvm::Value *mix_key(unsigned words) {
    llvm::Value *key = word_of(0);
    for (unsigned i = 1; i < words; ++i)
      key = builder_.CreateXor(
          builder_.CreateMul(builder_.CreateXor(key, builder_.CreateLShr(key, 32)),
                             builder_.getInt64(kMix)),
          word_of(i));
    return key;
  }

  void write_table(const std::vector<core::Answer> &list) {
    const auto words = static_cast<unsigned>(list.front().inputs.size());
    // If the mixed keys of several inputs collide, the function answers all but the first.
    std::map<std::uint64_t, const core::Answer *> by_key;
    for (const core::Answer &answer : list)
      by_key.emplace(key_of(answer.inputs), &answer);
    std::vector<std::uint64_t> keys;
    for (const auto &[key, answer] : by_key)
      keys.push_back(key);
    const PerfectHash hash = find_perfect_hash(keys);
    const core::Answer *fill = by_key.begin()->second; // an input whose key belongs to another slot
    std::vector<const core::Answer *> slots(hash.slots, fill);
    for (const auto &[key, answer] : by_key)
      slots[hash.slot(key)] = answer;
    look_up(hash, slots, words);
  }

  void look_up(const PerfectHash &hash, const std::vector<const core::Answer *> &slots,
               unsigned words) {
    llvm::Value *key = mix_key(words);
    auto *displacements =
        table(builder_.getInt16Ty(), {hash.displacements.begin(), hash.displacements.end()},
              "sartor.displacements");
    llvm::Value *slot = hash_slot(builder_, hash, *displacements, *key);
    llvm::Value *equal = nullptr;
    for (unsigned i = 0; i < words; ++i) {
      std::vector<std::uint64_t> column;
      for (const core::Answer *answer : slots)
        column.push_back(answer->inputs[i]);
      Type *type = stored_type(wrapper_.getArg(i)->getType());
      llvm::Value *known = load(table(type, column, "sartor.inputs"), type, slot);
      llvm::Value *same =
          builder_.CreateICmpEQ(builder_.CreateZExt(known, builder_.getInt64Ty()), word_of(i));
      equal = equal ? builder_.CreateAnd(equal, same) : same;
    }
    BasicBlock *hit = block("sartor.answer");
    builder_.CreateCondBr(equal, hit, &*call_, likely());
    builder_.SetInsertPoint(hit);
    std::vector<std::uint64_t> results;
    for (const core::Answer *answer : slots)
      results.push_back(answer->result);
    Type *type = stored_type(wrapper_.getReturnType());
    builder_.CreateRet(to_result(load(table(type, results, "sartor.results"), type, slot)));
  }

  llvm::Value *to_result(llvm::Value *stored) {
    Type *type = wrapper_.getReturnType();
    if (type->isPointerTy())
      return based_on_inputs(builder_.CreateIntToPtr(stored, type));
    return builder_.CreateBitCast(
        builder_.CreateTrunc(stored, builder_.getIntNTy(type->getScalarSizeInBits())), type);
  }

  // The callee is rarely called, so it is not inlined here. To be no worse than the original call,
  // fold() specializes it for the known arguments.
  void wrapped_callee_is_cold() {
    for (Instruction &instruction : *call_)
      if (auto *call = dyn_cast<CallInst>(&instruction)) {
        call->addFnAttr(Attribute::NoInline);
        call->addFnAttr(Attribute::get(call->getContext(), kMissAttribute));
      }
  }

  MDNode *likely() { return MDBuilder(wrapper_.getContext()).createLikelyBranchWeights(); }

  Function &wrapper_;
  const CallMark &mark_;
  const DataLayout &layout_;
  Function::iterator call_; ///< The block with the generic call.
  IRBuilder<> builder_;
};

} // namespace

void answer(Function &wrapper, const CallMark &mark, const core::Answers &answers) {
  if (!answers.list.empty())
    Answering(wrapper, mark).write(answers);
}

} // namespace sartor::compiler
