// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/write_guards/writes.h"

#include <algorithm>
#include <array>

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include "compiler/frontend/llvm_version.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

struct Writer {
  StringRef name;
  unsigned length;
};

constexpr std::array<Writer, 12> kWriters{{{"memcpy", 2},
                                           {"memmove", 2},
                                           {"memset", 2},
                                           {"mempcpy", 2},
                                           {"__mempcpy", 2},
                                           {"__memcpy_chk", 2},
                                           {"__memmove_chk", 2},
                                           {"__memset_chk", 2},
                                           {"__mempcpy_chk", 2},
                                           {"bzero", 1},
                                           {"__bzero", 1},
                                           {"explicit_bzero", 1}}};

Type *written_type(const Instruction &write) {
  if (const auto *store = dyn_cast<StoreInst>(&write))
    return store->getValueOperand()->getType();
  if (const auto *update = dyn_cast<AtomicRMWInst>(&write))
    return update->getValOperand()->getType();
  return cast<AtomicCmpXchgInst>(write).getNewValOperand()->getType();
}

} // namespace

std::optional<unsigned> length_argument(const CallBase &call) {
  if (isa<AnyMemIntrinsic>(call))
    return 2;
  const Function *called = call.getCalledFunction();
  if (!called || !called->isDeclaration())
    return std::nullopt;
  const auto *found = std::ranges::find(kWriters, called->getName(), &Writer::name);
  return found != kWriters.end() && found->length < call.arg_size() ? std::optional(found->length)
                                                                    : std::nullopt;
}

Value *written_address(Instruction &write) {
  if (auto *call = dyn_cast<CallBase>(&write))
    return call->getArgOperand(0);
  auto *store = dyn_cast<StoreInst>(&write);
  return store ? store->getPointerOperand()
               : write.getOperand(0); // the address operand of atomic operations
}

Value *written_bytes(Instruction &write) {
  auto *word = Type::getInt64Ty(write.getContext());
  if (auto *call = dyn_cast<CallBase>(&write))
    return call->getArgOperand(*length_argument(*call));
  const DataLayout &layout = write.getModule()->getDataLayout();
  return ConstantInt::get(word, layout.getTypeStoreSize(written_type(write)).getFixedValue());
}

// LLVM before 21 asks whether stores of the pointer count, too.
bool may_be_captured(const auto *object) {
  constexpr bool by_return = true;
  if constexpr (requires { PointerMayBeCaptured(object, by_return); })
    return PointerMayBeCaptured(object, by_return);
  else
    return PointerMayBeCaptured(object, by_return, /*StoreCaptures=*/true);
}

bool is_fresh(const Value &address) {
  const Value *object = getUnderlyingObject(&address);
  const auto *argument = dyn_cast<Argument>(object);
  return (isa<AllocaInst>(object) || (argument && (argument->hasPassPointeeByValueCopyAttr() ||
                                                   argument->hasStructRetAttr()))) &&
         !may_be_captured(object);
}

std::string kind_of_write(const Instruction &write) {
  if (const auto *store = dyn_cast<StoreInst>(&write))
    return store->isAtomic() ? "atomic store" : "store";
  if (const auto *update = dyn_cast<AtomicRMWInst>(&write))
    return update->getOperation() == AtomicRMWInst::Xchg ? "atomic exchange" : "atomic update";
  if (isa<AtomicCmpXchgInst>(write))
    return "compare-exchange";
  if (isa<AnyMemSetInst>(write))
    return "memset";
  if (isa<AnyMemMoveInst>(write))
    return "memmove";
  if (isa<AnyMemCpyInst>(write))
    return "memcpy";
  return cast<CallBase>(write).getCalledFunction()->getName().str();
}

bool is_plain_variable(const AllocaInst &variable) {
  return all_of(variable.uses(), [](const Use &use) {
    const auto *store = dyn_cast<StoreInst>(use.getUser());
    const auto *intrinsic = dyn_cast<IntrinsicInst>(use.getUser());
    return isa<LoadInst>(use.getUser()) || (store && use.getOperandNo() == 1) ||
           (intrinsic && (intrinsic->isLifetimeStartOrEnd() || isa<DbgInfoIntrinsic>(intrinsic) ||
                          intrinsic->getIntrinsicID() == Intrinsic::var_annotation));
  });
}

namespace {

/// Returns the object that a number is an address in; null if the number is none.
const Value *object_of_number(const Value &number) {
  const auto *operation = dyn_cast<Operator>(&number);
  return operation && makes_number_of_pointer(operation->getOpcode())
             ? getUnderlyingObject(operation->getOperand(0))
             : nullptr;
}

// The distance between two objects leads from one to the other, as in a self-relative pointer.
bool is_within_object(const User &difference) {
  const Value *object = object_of_number(*difference.getOperand(0));
  return object && object == object_of_number(*difference.getOperand(1));
}

} // namespace

bool is_compared(const Value &number) {
  return all_of(number.users(), [](const User *user) {
    const auto *instruction = dyn_cast<Instruction>(user);
    const auto *call = dyn_cast<CallBase>(user);
    const Function *called = call ? call->getCalledFunction() : nullptr;
    return instruction &&
           (isa<ICmpInst>(instruction) ||
            (instruction->getOpcode() == Instruction::Sub &&
             (is_within_object(*instruction) || is_compared(*instruction))) ||
            (instruction->getOpcode() == Instruction::And && is_compared(*instruction)) ||
            (called && called->getName().starts_with("__ubsan_")));
  });
}

std::string called_as(const Function &function) {
  const std::string name = demangle(function.getName());
  return name.substr(0, name.find('(')) + "()";
}

} // namespace sartor::compiler
