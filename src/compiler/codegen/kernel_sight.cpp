// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/kernel_sight.h"

#include <string>
#include <vector>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Linker/Linker.h>

#include "compiler/specialize/instrument.h"
#include "core/profile/point_layout.h"

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

} // namespace

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

} // namespace sartor::compiler
