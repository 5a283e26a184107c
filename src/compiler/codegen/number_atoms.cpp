// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/number_atoms.h"

#include <cstdint>
#include <utility>

#include <llvm/ADT/DenseMap.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

#if LLVM_VERSION_MAJOR >= 21
void number_atoms(Function &function) {
  // Groups of different inlined calls are different ones.
  DenseMap<std::pair<const DILocation *, std::uint64_t>, std::uint64_t> numbers;
  for (Instruction &instruction : instructions(function)) {
    const DILocation *at = instruction.getDebugLoc();
    if (!at || at->getAtomGroup() == 0)
      continue;
    const std::uint64_t number =
        numbers.try_emplace({at->getInlinedAt(), at->getAtomGroup()}, numbers.size() + 1)
            .first->second;
    instruction.setDebugLoc(DILocation::get(at->getContext(), at->getLine(), at->getColumn(),
                                            at->getScope(), at->getInlinedAt(),
                                            at->isImplicitCode(), number, at->getAtomRank()));
  }
}
#else
void number_atoms(Function &) {} // has no atoms yet
#endif

} // namespace

void number_atoms(Module &module) {
  for (Function &function : module)
    number_atoms(function);
}

} // namespace sartor::compiler
