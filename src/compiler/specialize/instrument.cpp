// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/instrument.h"

#include <algorithm>

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include "compiler/frontend/closure.h"
#include "compiler/frontend/marks.h"
#include "compiler/specialize/count_code.h"
#include "core/profile/point_layout.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

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
