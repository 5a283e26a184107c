// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/hash_switches.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/specialize/kernel/perfect_hash.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// With fewer cases, a tree of comparisons is as fast as a hash.
constexpr std::size_t kFewest = 16;
constexpr std::size_t kMost = 4096;
constexpr unsigned kNarrowest = 32;
// Ranges with a higher density of cases become a jump table or a bit test.
constexpr std::uint64_t kFarApart = 16;

struct Case {
  std::uint64_t value;
  BasicBlock *to;
};

/// Returns the cases whose successor is not the default one, in their order.
std::vector<Case> cases_of(SwitchInst &chosen) {
  std::vector<Case> cases;
  for (const auto &one : chosen.cases())
    if (one.getCaseSuccessor() != chosen.getDefaultDest())
      cases.push_back({one.getCaseValue()->getZExtValue(), one.getCaseSuccessor()});
  return cases;
}

bool are_far_apart(std::vector<Case> cases) {
  std::ranges::sort(cases, {}, &Case::value);
  return (cases.back().value - cases.front().value) / kFarApart > cases.size();
}

GlobalVariable *table_of(Module &module, Constant *contents) {
  auto *table = new GlobalVariable(module, contents->getType(), true, GlobalValue::PrivateLinkage,
                                   contents, "sartor.hash");
  table->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  return table;
}

/// Replaces one switch by a hash that selects a slot, a comparison with the slot's value, and a
/// dense switch over the numbers of the cases.
class Rewrite {
public:
  Rewrite(SwitchInst &chosen, std::vector<Case> cases)
      : chosen_(chosen), cases_(std::move(cases)), builder_(&chosen),
        type_(cast<IntegerType>(chosen.getCondition()->getType())) {}

  void run() {
    BasicBlock &before = *chosen_.getParent();
    auto *found =
        BasicBlock::Create(chosen_.getContext(), "found", before.getParent(), before.getNextNode());
    auto *never = BasicBlock::Create(chosen_.getContext(), "never", before.getParent());
    new UnreachableInst(chosen_.getContext(), never);

    const auto [value, number] = look_up();
    builder_.CreateCondBr(builder_.CreateICmpEQ(chosen_.getCondition(), value), found,
                          chosen_.getDefaultDest());
    builder_.SetInsertPoint(found);
    SwitchInst *dense = builder_.CreateSwitch(number, never, static_cast<unsigned>(cases_.size()));
    SmallPtrSet<BasicBlock *, 16> to;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      dense->addCase(builder_.getInt32(static_cast<std::uint32_t>(i)), cases_[i].to);
      to.insert(cases_[i].to);
    }
    for (BasicBlock *block : to)
      block->replacePhiUsesWith(&before, found);
    // Of all edges to the default destination, one remains.
    for (PHINode &phi : chosen_.getDefaultDest()->phis())
      for (unsigned i = phi.getNumIncomingValues(), left = 0; i-- > 0;)
        if (phi.getIncomingBlock(i) == &before && left++ > 0)
          phi.removeIncomingValue(i, false);
    chosen_.eraseFromParent();
  }

private:
  struct Found {
    llvm::Value *value;
    llvm::Value *number;
  };

  /// A slot without a case holds the first case, whose value hashes to another slot.
  GlobalVariable *slots(const PerfectHash &hash) {
    std::vector<std::size_t> numbers(hash.slots, 0);
    for (std::size_t i = 0; i < cases_.size(); ++i)
      numbers[hash.slot(cases_[i].value)] = i;
    std::vector<Constant *> all;
    for (const std::size_t number : numbers)
      all.push_back(
          ConstantStruct::getAnon({ConstantInt::get(type_, cases_[number].value),
                                   builder_.getInt32(static_cast<std::uint32_t>(number))}));
    return table_of(*chosen_.getModule(),
                    ConstantArray::get(ArrayType::get(all.front()->getType(), all.size()), all));
  }

  Found look_up() {
    std::vector<std::uint64_t> values;
    for (const Case &one : cases_)
      values.push_back(one.value);
    const PerfectHash hash = compiler::find_perfect_hash(values);
    GlobalVariable *const displacements = table_of(
        *chosen_.getModule(), ConstantDataArray::get(chosen_.getContext(), hash.displacements));
    llvm::Value *const slot =
        compiler::hash_slot(builder_, hash, *displacements,
                            *builder_.CreateZExt(chosen_.getCondition(), builder_.getInt64Ty()));
    GlobalVariable *const table = slots(hash);
    auto *const entry = cast<StructType>(table->getValueType()->getArrayElementType());
    llvm::Value *const at = builder_.CreateInBoundsGEP(entry, table, slot);
    return {builder_.CreateLoad(type_, builder_.CreateStructGEP(entry, at, 0)),
            builder_.CreateLoad(builder_.getInt32Ty(), builder_.CreateStructGEP(entry, at, 1))};
  }

  SwitchInst &chosen_;
  std::vector<Case> cases_;
  IRBuilder<> builder_;
  IntegerType *type_;
};

} // namespace

PreservedAnalyses HashSwitches::run(Function &function, FunctionAnalysisManager &) {
  if (function.hasOptSize())
    return PreservedAnalyses::all();
  std::vector<SwitchInst *> found;
  for (BasicBlock &block : function)
    if (auto *chosen = dyn_cast<SwitchInst>(block.getTerminator()))
      found.push_back(chosen);
  bool changed = false;
  for (SwitchInst *chosen : found) {
    const unsigned bits = chosen->getCondition()->getType()->getIntegerBitWidth();
    if (bits < kNarrowest || bits > 64 || chosen->hasMetadata(LLVMContext::MD_prof))
      continue;
    std::vector<Case> cases = cases_of(*chosen);
    if (cases.size() < kFewest || cases.size() > kMost || !are_far_apart(cases))
      continue;
    Rewrite(*chosen, std::move(cases)).run();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace sartor::compiler
