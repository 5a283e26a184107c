// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/kernel_code.h"

#include <string>
#include <vector>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Linker/Linker.h>

#include "compiler/frontend/kernel/kernel.h"
#include "compiler/specialize/instrument.h"
#include "core/profile/layout.h"
#include "core/request/context.h"
#include "core/request/kernel_names.h"

// The bitcode that clang compiles from bpf/sketch.bpf.c.
extern "C" const unsigned char sartor_sketch_code[];
extern "C" const unsigned char sartor_sketch_code_end[];

namespace sartor::compiler {

using namespace llvm;

namespace {

void link_sketch(Module &module) {
  const StringRef bytes(reinterpret_cast<const char *>(sartor_sketch_code),
                        static_cast<std::size_t>(sartor_sketch_code_end - sartor_sketch_code));
  auto sketch = cantFail(parseBitcodeFile(MemoryBufferRef(bytes, "sketch"), module.getContext()));
  sketch->setTargetTriple(module.getTargetTriple());
  [[maybe_unused]] const bool failed = Linker::linkModules(module, std::move(sketch));
  assert(!failed);
  for (Function &function : module)
    if (function.getName().starts_with("sartor_sight_"))
      function.setLinkage(GlobalValue::InternalLinkage);
}

/// Makes the instrumented points of a handler for the kernel record the values they see in the map
/// of bpf/sketch.h, which has one element for each point of the space.
void sight_in_kernel(Module &module, const Space &space) {
  std::vector<CallInst *> sightings;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (compiler::is_sighting(instruction))
        sightings.push_back(cast<CallInst>(&instruction));
  if (sightings.empty())
    return;
  link_sketch(module);
  const core::Layout layout = core::layout_of(space);
  for (CallInst *sighting : sightings) {
    const auto place = cast<ConstantInt>(sighting->getArgOperand(0))->getZExtValue();
    IRBuilder<> builder(sighting);
    SmallVector<llvm::Value *> arguments(sighting->args());
    arguments.insert(arguments.begin() + 2, builder.getInt64(layout.places()[place].shape.inputs));
    Function *sight = module.getFunction("sartor_sight_" + std::to_string(arguments.size() - 3));
    builder.CreateCall(sight, arguments);
    sighting->eraseFromParent();
  }
}

void define_failure_counters(Module &module) {
  GlobalVariable *counters = module.getGlobalVariable(core::kFailureCounters);
  if (!counters)
    return;
  counters->setInitializer(Constant::getNullValue(counters->getValueType()));
  counters->setName(core::kKernelFailureCounters);
  counters->setSection(core::kKernelSection);
  counters->setAlignment(Align(8));
}

// The first versions of BPF have no ordered loads and stores. An aligned word is not torn there,
// volatile accesses are neither removed nor duplicated, and only constants depend on a version that
// is acquired.
void replace_ordered(Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->isAtomic()) {
    load->setAtomic(AtomicOrdering::NotAtomic);
    load->setVolatile(true);
  }
  if (auto *store = dyn_cast<StoreInst>(&instruction); store && store->isAtomic()) {
    store->setAtomic(AtomicOrdering::NotAtomic);
    store->setVolatile(true);
  }
}

// LLVM requires a debug location at each call in a function that has debug information.
void locate_calls(Function &function) {
  DISubprogram *subprogram = function.getSubprogram();
  if (!subprogram)
    return;
  for (Instruction &instruction : instructions(function))
    if (isa<CallBase>(instruction) && !instruction.getDebugLoc())
      instruction.setDebugLoc(DILocation::get(function.getContext(), 0, 0, subprogram));
}

// Names the function in the debug information as the kernel does: the kernel's names are
// identifiers.
void name_for_kernel(Function &function) {
  DISubprogram *subprogram = function.getSubprogram();
  if (subprogram && !function.hasLocalLinkage())
    subprogram->replaceOperandWith(2, MDString::get(function.getContext(), function.getName()));
}

} // namespace

void finish_for_kernel(Module &module, const Space &space) {
  define_failure_counters(module);
  sight_in_kernel(module, space);
  for (Function &function : module) {
    for (Instruction &instruction : instructions(function))
      replace_ordered(instruction);
    locate_calls(function);
    name_for_kernel(function);
  }
  compiler::keep_kernel_places(module);
}

void define_all_values(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      for (Use &operand : instruction.operands())
        if (isa<UndefValue>(operand))
          operand.set(Constant::getNullValue(operand->getType()));
}

} // namespace sartor::compiler
