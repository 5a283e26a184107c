// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/native_only.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace sartor::point {

using namespace llvm;

namespace {

constexpr const char *kNativeOnlyAttribute = "sartor-native-only";

// What the code generator would make of them refers to a runtime of the program's, or to what
// stands before each function.
struct Hardening {
  bool present;
  const char *reason;
};

std::string hardening_of(const Function &function) {
  const Hardening known[] = {
      {function.hasFnAttribute("split-stack"), "the function is compiled with -fsplit-stack"},
      {function.hasFnAttribute(Attribute::SafeStack),
       "the function is compiled with -fsanitize=safe-stack"},
      {function.hasMetadata(LLVMContext::MD_kcfi_type),
       "the function is compiled with -fsanitize=kcfi"}};
  for (const Hardening &hardening : known)
    if (hardening.present)
      return hardening.reason;
  return "";
}

/// Follows the addresses of a function's labels. They may be jumped to, and wait in a local
/// variable; anywhere else, they outlive the call.
class Labels {
public:
  explicit Labels(const Function &function) : function_(function) {}

  bool escape() {
    for (const BasicBlock &block : function_)
      if (block.hasAddressTaken())
        follow(*BlockAddress::get(const_cast<BasicBlock *>(&block)));
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
    const User *user = use.getUser();
    if (const auto *variable = dyn_cast<GlobalVariable>(user)) {
      // A table of labels: what is read from it is a label again.
      escaped_ |= !variable->hasLocalLinkage();
      follow(*variable);
    } else if (const auto *store = dyn_cast<StoreInst>(user)) {
      escaped_ |= !is_local(*store->getPointerOperand());
    } else if (const auto *copy = dyn_cast<MemTransferInst>(user)) {
      escaped_ |= !is_local(*copy->getRawDest());
    } else if (!isa<IndirectBrInst, ICmpInst>(user)) {
      escaped_ |= isa<CallBase, ReturnInst>(user);
      follow(*user);
    }
  }

  static bool is_local(const llvm::Value &place) {
    return isa<AllocaInst>(getUnderlyingObject(&place));
  }

  const Function &function_;
  SmallVector<const llvm::Value *> work_;
  SmallPtrSet<const llvm::Value *, 16> seen_;
  bool escaped_ = false;
};

} // namespace

std::string native_only_reason(const Function &function) {
  if (function.hasFnAttribute(kNativeOnlyAttribute))
    return function.getFnAttribute(kNativeOnlyAttribute).getValueAsString().str();
  if (function.isPresplitCoroutine())
    return "the function is a coroutine";
  if (std::string hardening = hardening_of(function); !hardening.empty())
    return hardening;
  if (Labels(function).escape())
    return "the function lets addresses of its labels out";
  return "";
}

void keep_native(Function &function, StringRef why) {
  function.addFnAttr(kNativeOnlyAttribute, why);
}

bool holds_labels(const Constant &constant) {
  if (isa<BlockAddress>(constant))
    return true;
  return any_of(constant.operands(), [](const Use &operand) {
    const auto *part = dyn_cast<Constant>(operand);
    return part && !isa<GlobalValue>(part) && holds_labels(*part);
  });
}

} // namespace sartor::point
