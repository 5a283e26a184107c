// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/places.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

DISubprogram *outermost(const DILocation &place) {
  return place.getInlinedAtScope()->getSubprogram();
}

// A function that took over the body of another one has its locations and no description.
void adopt_description(Function &function, SmallPtrSetImpl<DISubprogram *> &taken) {
  for (const Instruction &instruction : instructions(function))
    if (const DILocation *place = instruction.getDebugLoc()) {
      DISubprogram *described = outermost(*place);
      if (taken.insert(described).second)
        function.setSubprogram(described);
      return;
    }
}

class Repair {
public:
  explicit Repair(Function &function)
      : context_(function.getContext()), described_(function.getSubprogram()) {}

  void repair(Instruction &instruction) {
    for (DbgRecord &record : make_early_inc_range(instruction.getDbgRecordRange()))
      if (const DILocation *place = record.getDebugLoc(); !place || outermost(*place) != described_)
        record.eraseFromParent();
    if (const DebugLoc &place = instruction.getDebugLoc(); !place) {
      if (isa<CallBase>(instruction))
        instruction.setDebugLoc(nowhere());
    } else if (outermost(*place) != described_) {
      instruction.setDebugLoc(DebugLoc::appendInlinedAt(place, inlined_at(), context_, inlined_));
    }
  }

private:
  // Line 0 stands for code without a source line.
  DILocation *nowhere() { return DILocation::get(context_, 0, 0, described_); }

  DILocation *inlined_at() {
    if (!inlined_at_)
      inlined_at_ = DILocation::getDistinct(context_, described_->getLine(), 0, described_);
    return inlined_at_;
  }

  LLVMContext &context_;
  DISubprogram *described_;
  DILocation *inlined_at_ = nullptr;
  DenseMap<const MDNode *, MDNode *> inlined_;
};

} // namespace

void repair_places(Module &module) {
  if (module.debug_compile_units().empty())
    return;
  SmallPtrSet<DISubprogram *, 16> taken;
  for (const Function &function : module)
    if (DISubprogram *described = function.getSubprogram())
      taken.insert(described);
  for (Function &function : module) {
    if (!function.getSubprogram() && !function.isDeclaration())
      adopt_description(function, taken);
    if (!function.getSubprogram())
      continue;
    Repair repair(function);
    for (Instruction &instruction : instructions(function))
      repair.repair(instruction);
  }
}

} // namespace sartor::compiler
