// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guard_writes.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "asking_writes.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

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
    write.moveBefore(plain->getIterator());
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
