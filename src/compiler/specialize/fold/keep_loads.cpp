// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/fold/keep_loads.h"

#include <iterator>

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/frontend/clone.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/prepare.h"
#include "compiler/specialize/blocks.h"
#include "compiler/specialize/guard.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Marks the accesses that Sartor has made volatile.
constexpr const char *kKept = "sartor.kept";
// A function that returns its argument: hides which function is called.
constexpr const char *kHidden = "sartor.hidden";
// An attribute of functions that may be called indirectly: the name of their copy.
constexpr const char *kCopyName = "sartor-kept-copy";
// An array of these copies, to which nothing else may refer until release().
constexpr const char *kCopies = "sartor.kept.copies";

void set_volatile(Instruction &instruction, bool is_volatile) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    load->setVolatile(is_volatile);
  else if (auto *transfer = dyn_cast<MemTransferInst>(&instruction))
    transfer->setVolatile(ConstantInt::getBool(instruction.getContext(), is_volatile));
}

// Makes an access volatile until release(): volatile accesses are neither folded nor merged with
// others that may be.
void keep_from_folding(Instruction &instruction) {
  if (!isa<LoadInst>(instruction) && !isa<MemTransferInst>(instruction))
    return;
  instruction.setMetadata(kMayFold, nullptr);
  if (instruction.isVolatile())
    return;
  set_volatile(instruction, true);
  instruction.setMetadata(kKept, MDNode::get(instruction.getContext(), {}));
}

// True for loads that allow the memory to change at any time, without ordering other accesses.
bool may_see_changes(const Instruction &instruction) {
  const auto *load = dyn_cast<LoadInst>(&instruction);
  return load && (load->isVolatile() || load->isAtomic()) &&
         !isStrongerThanMonotonic(load->getOrdering());
}

// Returns the instructions from each beginning to the ends that can be reached from it.
SmallVector<Instruction *> within_blocking(Function &function) {
  SmallVector<Instruction *> found;
  SmallVector<BasicBlock::iterator> work;
  for (CallInst *begin : compiler::blocking_begins_of(function))
    work.push_back(std::next(begin->getIterator()));
  SmallPtrSet<BasicBlock *, 16> entered;
  while (!work.empty()) {
    BasicBlock::iterator each = work.pop_back_val();
    BasicBlock *block = each->getParent();
    while (each != block->end() && !compiler::is_blocking_end(*each))
      found.push_back(&*each++);
    if (each == block->end())
      for (BasicBlock *next : successors(block))
        if (entered.insert(next).second)
          work.push_back(next->begin());
  }
  return found;
}

} // namespace

KeptLoads::KeptLoads(Function &handler) : handler_(handler) {
  SmallVector<Function *> work;
  const auto reach = [&](Function &function) {
    if (!function.isDeclaration() && copies_.insert({&function, nullptr}).second)
      work.push_back(&function);
  };
  reach(handler);
  bool calls_pointers = false;
  while (!work.empty())
    for (Instruction &instruction : instructions(*work.pop_back_val())) {
      const auto *call = dyn_cast<CallBase>(&instruction);
      calls_pointers |= call && call->isIndirectCall();
      for (const Use &operand : instruction.operands())
        if (auto *function = dyn_cast<Function>(operand))
          reach(*function);
    }
  if (calls_pointers) // a pointer may turn out to be any function
    for (Function &function : *handler.getParent())
      reach(function);
  make_copies();
  if (calls_pointers && copies_.size() > 1)
    name_copies();
}

void KeptLoads::make_copies() {
  for (auto &[function, copy] : copies_) {
    copy = compiler::copy_function(*function);
    copy->setName(function->getName() + ".kept");
    copy->setLinkage(GlobalValue::InternalLinkage);
    compiler::forget_handler(*copy);
    copy->removeFnAttr(compiler::kFoldAttribute);
    copy->removeFnAttr(Attribute::FnRetThunkExtern); // no stub is between it and its caller
  }
}

void KeptLoads::name_copies() {
  SmallVector<Constant *> all;
  for (const auto &[function, copy] : copies_)
    if (function != &handler_) {
      function->addFnAttr(kCopyName, copy->getName());
      all.push_back(copy);
    }
  auto *type = ArrayType::get(all.front()->getType(), all.size());
  new GlobalVariable(*handler_.getParent(), type, /*isConstant=*/true, GlobalValue::ExternalLinkage,
                     ConstantArray::get(type, all), kCopies);
}

bool KeptLoads::is_copy(const Function &function) const {
  return any_of(copies_, [&](const auto &each) { return each.second == &function; });
}

// Until release(), the function that a pointer turns out to be is not known: its loads are folded.
void KeptLoads::hide_callee(CallBase &call) {
  llvm::Value &callee = *call.getCalledOperand();
  FunctionCallee hidden = handler_.getParent()->getOrInsertFunction(
      kHidden, FunctionType::get(callee.getType(), {callee.getType()}, false));
  auto &function = *cast<Function>(hidden.getCallee());
  function.setDoesNotAccessMemory();
  function.setDoesNotThrow();
  function.addFnAttr(Attribute::WillReturn);
  call.setCalledOperand(CallInst::Create(hidden, {&callee}, "", call.getIterator()));
}

void KeptLoads::keep(Instruction &instruction) {
  keep_from_folding(instruction);
  if (auto *call = dyn_cast<CallBase>(&instruction); call && call->isIndirectCall())
    hide_callee(*call);
  for (Use &operand : instruction.operands())
    if (auto *function = dyn_cast<Function>(operand))
      if (Function *copy = copies_.lookup(function))
        operand.set(copy);
}

void mark_volatile_loads(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (may_see_changes(instruction))
        instruction.setMetadata(kMayFold, MDNode::get(instruction.getContext(), {}));
}

void erase_load_marks(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      instruction.setMetadata(kMayFold, nullptr);
      instruction.setMetadata(kSideExitMark, nullptr);
      instruction.setMetadata(kGuardMark, nullptr);
    }
}

void know_load_marks(LLVMContext &context) {
  // The last two are LLVM's.
  for (const char *mark : {kMayFold, kSideExitMark, kKept, kGuardMark, "PGOFuncName", "srcloc"})
    context.getMDKindID(mark);
}

void KeptLoads::keep() {
  for (Instruction &instruction : make_early_inc_range(instructions(handler_)))
    if (instruction.hasMetadata(kSideExitMark))
      keep(instruction);
  for (Instruction *instruction : within_blocking(handler_))
    keep(*instruction);
  for (const auto &[function, copy] : copies_)
    for (Instruction &instruction : make_early_inc_range(instructions(*copy)))
      keep(instruction);
}

void KeptLoads::show_callees() {
  Module &module = *handler_.getParent();
  if (Function *hidden = module.getFunction(kHidden)) {
    for (User *user : make_early_inc_range(hidden->users())) {
      auto *call = cast<CallInst>(user);
      call->replaceAllUsesWith(copy_in(*call->getArgOperand(0), *call));
      call->eraseFromParent();
    }
    hidden->eraseFromParent();
  }
  GlobalVariable *copies = module.getNamedGlobal(kCopies);
  if (!copies)
    return;
  copies->eraseFromParent();
  for (Function &function : make_early_inc_range(module)) {
    function.removeFnAttr(kCopyName);
    if (function.hasLocalLinkage() && function.use_empty())
      function.eraseFromParent();
  }
}

// Returns the value with copies in place of functions.
llvm::Value *KeptLoads::copy_in(llvm::Value &value, Instruction &before) {
  if (auto *function = dyn_cast<Function>(&value)) {
    const StringRef name = function->getFnAttribute(kCopyName).getValueAsString();
    return name.empty() ? function : handler_.getParent()->getFunction(name);
  }
  auto *select = dyn_cast<SelectInst>(&value);
  if (!select)
    return &value;
  return SelectInst::Create(select->getCondition(), copy_in(*select->getTrueValue(), before),
                            copy_in(*select->getFalseValue(), before), "", before.getIterator());
}

void KeptLoads::release() {
  show_callees();
  for (Function &function : *handler_.getParent())
    for (Instruction &instruction : instructions(function))
      if (instruction.hasMetadata(kKept)) {
        set_volatile(instruction, false);
        instruction.setMetadata(kKept, nullptr);
      }
}

} // namespace sartor::compiler
