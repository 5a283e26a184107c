// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/goto_labels.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

/// Follows the addresses of a function's labels. A label may be jumped to and stored in a local
/// variable; in any other use it escapes the call.
class LabelUses {
public:
  explicit LabelUses(const Function &function) : function_(function) {}

  bool escape() {
    for (const BasicBlock &block : function_)
      if (const BlockAddress *label = BlockAddress::lookup(&block))
        follow(*label);
    while (!work_.empty() && !escaped_)
      for (const Use &use : work_.pop_back_val()->uses())
        pass(use);
    return escaped_;
  }

private:
  void follow(const llvm::Value &value) {
    if (seen_.insert(&value).second)
      work_.push_back(&value);
  }

  void pass(const Use &use) {
    if (const auto *instruction = dyn_cast<Instruction>(use.getUser()))
      return pass(use, *instruction);
    // A value read from a table of labels is a label again.
    if (const auto *variable = dyn_cast<GlobalVariable>(use.getUser()))
      escaped_ |= !variable->hasLocalLinkage();
    follow(*use.getUser());
  }

  void pass(const Use &use, const Instruction &user) {
    escaped_ |= user.getFunction() != &function_;
    if (const auto *store = dyn_cast<StoreInst>(&user))
      return put(use, *store->getPointerOperand(), StoreInst::getPointerOperandIndex());
    if (const auto *memory = dyn_cast<AnyMemIntrinsic>(&user))
      return put(use, *memory->getRawDest(), 0);
    if (user.isLifetimeStartOrEnd() || isa<IndirectBrInst, ICmpInst>(user))
      return;
    escaped_ |= isa<CallBase, ReturnInst, AtomicRMWInst, AtomicCmpXchgInst>(user);
    follow(user);
  }

  // A local variable that stores a label is followed in turn. Code that changes a table stores
  // labels into it that other calls can find.
  void put(const Use &use, const llvm::Value &place, unsigned place_operand) {
    const auto *variable = dyn_cast<AllocaInst>(getUnderlyingObject(&place));
    if (!variable)
      escaped_ = true;
    else if (use.getOperandNo() != place_operand)
      follow(*variable);
  }

  const Function &function_;
  SmallVector<const llvm::Value *> work_;
  SmallPtrSet<const llvm::Value *, 16> seen_;
  bool escaped_ = false;
};

} // namespace

bool holds_label(const Constant &constant, function_ref<bool(const BlockAddress &)> wanted) {
  SmallVector<const Constant *> work{&constant};
  SmallPtrSet<const Constant *, 16> seen;
  while (!work.empty()) {
    const Constant *part = work.pop_back_val();
    if (!seen.insert(part).second)
      continue;
    if (const auto *label = dyn_cast<BlockAddress>(part)) {
      if (wanted(*label))
        return true;
      continue;
    }
    const auto *variable = dyn_cast<GlobalVariable>(part);
    if (isa<GlobalValue>(part) && (!variable || !variable->hasLocalLinkage()))
      continue;
    for (const Use &operand : part->operands())
      work.push_back(cast<Constant>(operand));
  }
  return false;
}

bool holds_labels(const Constant &constant) {
  return holds_label(constant, [](const BlockAddress &) { return true; });
}

bool lets_labels_out(const Function &function) { return LabelUses(function).escape(); }

SetVector<GlobalVariable *> label_tables(Function &function) {
  SetVector<GlobalVariable *> tables;
  SmallVector<Constant *> work;
  SmallPtrSet<Constant *, 16> seen;
  for (BasicBlock &block : function)
    if (BlockAddress *label = BlockAddress::lookup(&block))
      work.push_back(label);
  while (!work.empty())
    for (User *user : work.pop_back_val()->users()) {
      auto *constant = dyn_cast<Constant>(user);
      if (!constant || !seen.insert(constant).second)
        continue;
      if (auto *variable = dyn_cast<GlobalVariable>(constant))
        tables.insert(variable);
      work.push_back(constant);
    }
  return tables;
}

} // namespace sartor::compiler
