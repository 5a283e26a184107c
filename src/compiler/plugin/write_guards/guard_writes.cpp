// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/write_guards/guard_writes.h"

#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/plugin/write_guards/writes.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

/// Creates functions that ask the runtime whether a write is allowed, perform it, and notify the
/// runtime afterwards (sartor/watch.h). Their calls preserve registers, so that code that contains
/// a call, which is almost never executed, is as good as code without one.
class AskingWrites {
public:
  explicit AskingWrites(llvm::Module &module) : module_(module) {}

  /// Inserts a call of such a function at `place`. Its result is the write's, or the one that the
  /// write would have had if it was refused.
  llvm::CallInst *call(llvm::Instruction &write, llvm::Instruction &place);

private:
  struct Known {
    llvm::Function *function;
    llvm::Instruction *write; ///< The write inside the function.
  };

  llvm::Function *function_for(llvm::Instruction &write);
  Known make(llvm::Instruction &write);
  llvm::FunctionCallee listener(llvm::StringRef name, llvm::Type *result);

  llvm::Module &module_;
  std::vector<Known> known_;
};

// True for operands that cannot become parameters: the callee, and immediate arguments.
bool is_fixed(const Use &operand) {
  const auto *call = dyn_cast<CallBase>(operand.getUser());
  return call && (!call->isArgOperand(&operand) ||
                  call->paramHasAttr(call->getArgOperandNo(&operand), Attribute::ImmArg));
}

bool are_alike(const Instruction &a, const Instruction &b) {
  return a.isSameOperationAs(&b) && all_of(a.operands(), [&](const Use &operand) {
           return !is_fixed(operand) || operand.get() == b.getOperand(operand.getOperandNo());
         });
}

bool is_about_code_generation(const Attribute &attribute) {
  if (attribute.isStringAttribute())
    return true;
  return is_contained({Attribute::UWTable, Attribute::SanitizeAddress, Attribute::SanitizeMemory,
                       Attribute::SanitizeThread, Attribute::SanitizeHWAddress},
                      attribute.getKindAsEnum());
}

AttrBuilder attributes_like(const Function &caller) {
  AttrBuilder attributes(caller.getContext());
  for (const Attribute &attribute : caller.getAttributes().getFnAttrs())
    if (is_about_code_generation(attribute))
      attributes.addAttribute(attribute);
  for (const auto kind : {Attribute::NoInline, Attribute::Cold, Attribute::NoUnwind})
    attributes.addAttribute(kind);
  return attributes;
}

AtomicOrdering reading(AtomicOrdering ordering) {
  switch (ordering) {
  case AtomicOrdering::Release:
    return AtomicOrdering::Monotonic;
  case AtomicOrdering::AcquireRelease:
    return AtomicOrdering::Acquire;
  default:
    return ordering;
  }
}

Value *read(IRBuilder<> &builder, Value &address, Type &type, Align align, AtomicOrdering ordering,
            SyncScope::ID scope) {
  LoadInst *load = builder.CreateAlignedLoad(&type, &address, align);
  load->setAtomic(reading(ordering), scope);
  return load;
}

/// Returns the result of an operation whose store is not executed; null if it has no result.
Value *value_without(IRBuilder<> &builder, Instruction &write) {
  if (write.getType()->isVoidTy())
    return nullptr;
  if (auto *update = dyn_cast<AtomicRMWInst>(&write))
    return read(builder, *update->getPointerOperand(), *update->getType(), update->getAlign(),
                update->getOrdering(), update->getSyncScopeID());
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&write)) {
    Value *expected = exchange->getCompareOperand();
    Value *found =
        read(builder, *exchange->getPointerOperand(), *expected->getType(), exchange->getAlign(),
             exchange->getSuccessOrdering(), exchange->getSyncScopeID());
    Value *both = builder.CreateInsertValue(PoisonValue::get(write.getType()), found, 0);
    return builder.CreateInsertValue(both, builder.CreateICmpEQ(found, expected), 1);
  }
  auto &call = cast<CallBase>(write);
  Value *to = call.getArgOperand(0);
  return call.getCalledFunction()->getName().contains("mempcpy")
             ? builder.CreateInBoundsGEP(builder.getInt8Ty(), to, call.getArgOperand(2))
             : to;
}

void give(IRBuilder<> &builder, Value *value) {
  if (value)
    builder.CreateRet(value);
  else
    builder.CreateRetVoid();
}

CallInst *AskingWrites::call(Instruction &write, Instruction &place) {
  Function *function = function_for(write);
  SmallVector<Value *> arguments;
  for (const Use &operand : write.operands())
    if (!is_fixed(operand))
      arguments.push_back(operand.get());
  IRBuilder<> builder(&place);
  CallInst *call = builder.CreateCall(function, arguments);
  call->setCallingConv(function->getCallingConv());
  call->setDebugLoc(write.getDebugLoc());
  return call;
}

Function *AskingWrites::function_for(Instruction &write) {
  const AttributeSet attributes =
      AttributeSet::get(module_.getContext(), attributes_like(*write.getFunction()));
  for (const Known &known : known_)
    if (known.function->getAttributes().getFnAttrs() == attributes &&
        are_alike(*known.write, write))
      return known.function;
  return known_.emplace_back(make(write)).function;
}

AskingWrites::Known AskingWrites::make(Instruction &write) {
  LLVMContext &context = module_.getContext();
  SmallVector<Type *> parameters;
  for (const Use &operand : write.operands())
    if (!is_fixed(operand))
      parameters.push_back(operand->getType());
  auto *function =
      Function::Create(FunctionType::get(write.getType(), parameters, /*isVarArg=*/false),
                       GlobalValue::InternalLinkage, "sartor.ask", module_);
  function->addFnAttrs(attributes_like(*write.getFunction()));
  function->setCallingConv(CallingConv::PreserveMost);

  IRBuilder<> builder(BasicBlock::Create(context, "", function));
  auto *allowed = BasicBlock::Create(context, "", function);
  auto *refused = BasicBlock::Create(context, "", function);
  Instruction *copy = write.clone();
  copy->dropUnknownNonDebugMetadata();
  copy->setDebugLoc({});
  unsigned next = 0;
  for (Use &operand : copy->operands())
    if (!is_fixed(operand))
      operand.set(function->getArg(next++));
  Value *address = written_address(*copy);
  copy->insertInto(allowed, allowed->end());
  Value *bytes = builder.CreateZExtOrTrunc(written_bytes(*copy), builder.getInt64Ty());
  Value *answer =
      builder.CreateCall(listener("sartor_may_write", builder.getInt32Ty()), {address, bytes});
  builder.CreateCondBr(builder.CreateIsNotNull(answer), allowed, refused);
  builder.SetInsertPoint(allowed);
  builder.CreateCall(listener("sartor_written", builder.getVoidTy()), {address, bytes});
  give(builder, write.getType()->isVoidTy() ? nullptr : copy);
  builder.SetInsertPoint(refused);
  give(builder, value_without(builder, *copy));
  return {function, copy};
}

// The function is weak, so that a program links without the runtime, which alone arms the byte.
FunctionCallee AskingWrites::listener(StringRef name, Type *result) {
  LLVMContext &context = module_.getContext();
  FunctionCallee function = module_.getOrInsertFunction(
      name, result, PointerType::getUnqual(context), Type::getInt64Ty(context));
  if (auto *declared = dyn_cast<Function>(function.getCallee());
      declared && declared->isDeclaration()) {
    declared->setLinkage(GlobalValue::ExternalWeakLinkage);
    declared->setDoesNotThrow();
  }
  return function;
}

/// Guards writes one by one.
class Guards {
public:
  Guards(Module &module, const WatchTable &table)
      : module_(module), table_(table), asking_(module) {}

  void put_before(Instruction &write, const Write &what) {
    Instruction *armed = nullptr;
    Instruction *plain = nullptr;
    IRBuilder<> builder(&write);
    SplitBlockAndInsertIfThenElse(is_armed(builder, what), &write, &armed, &plain,
                                  MDBuilder(module_.getContext()).createUnlikelyBranchWeights());
    BasicBlock *after = write.getParent();
    write.moveBefore(*plain->getParent(), plain->getIterator());
    CallInst *asked = asking_.call(write, *armed);
    if (write.use_empty())
      return;
    auto *result = PHINode::Create(write.getType(), 2, "", after->begin());
    write.replaceAllUsesWith(result);
    result->addIncoming(&write, plain->getParent());
    result->addIncoming(asked, armed->getParent());
  }

private:
  Value *is_armed(IRBuilder<> &builder, const Write &what) {
    Value *any = nullptr;
    for (const unsigned field : what.fields) {
      Value *byte = load(builder, *armed_byte(module_, table_.fields[field]));
      any = any ? builder.CreateOr(any, byte) : byte;
    }
    return builder.CreateIsNotNull(any);
  }

  // Volatile, because another thread arms the byte, each write must read it anew, and no pass may
  // merge or move the loads. An atomic load costs an additional instruction and register: x86's
  // code generation does not make it an operand of the comparison. ThreadSanitizer would report a
  // race for any other load.
  static LoadInst *load(IRBuilder<> &builder, GlobalVariable &byte) {
    LoadInst *load =
        builder.CreateAlignedLoad(builder.getInt8Ty(), &byte, Align(1), /*isVolatile=*/true);
    if (load->getFunction()->hasFnAttribute(Attribute::SanitizeThread))
      load->setAtomic(AtomicOrdering::Monotonic);
    return load;
  }

  Module &module_;
  const WatchTable &table_;
  AskingWrites asking_;
};

} // namespace

GlobalVariable *armed_byte(Module &module, const WatchedField &field) {
  const std::string name = "sartor.armed." + field.name() + "." +
                           std::to_string(field.record_size) + "." + std::to_string(field.offset);
  if (GlobalVariable *known = module.getNamedGlobal(name))
    return known;
  Type *byte = Type::getInt8Ty(module.getContext());
  auto *made = new GlobalVariable(module, byte, /*isConstant=*/false, GlobalValue::WeakAnyLinkage,
                                  ConstantInt::get(byte, 0), name);
  made->setComdat(module.getOrInsertComdat(name));
  made->setVisibility(GlobalValue::HiddenVisibility);
  made->setDSOLocal(true);
  return made;
}

std::vector<Guarded> guard(Module &module, const Writes &writes, const WatchTable &table) {
  std::vector<Guarded> guarded;
  std::vector<std::pair<Instruction *, const Write *>> known;
  for (const auto &[write, what] : writes)
    if (!is_fresh(*written_address(*write)))
      known.emplace_back(write, &what);
  Guards guards(module, table);
  for (const auto &[write, what] : known) {
    for (const unsigned mark : what->marks)
      for (const unsigned field : what->fields)
        guarded.push_back(
            {table.marks[mark].place, table.fields[field].name(), kind_of_write(*write)});
    guards.put_before(*write, *what);
  }
  return guarded;
}

} // namespace sartor::compiler
