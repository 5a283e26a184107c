// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/probes.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>

#include "compiler/frontend/native_only.h"
#include "compiler/frontend/readable.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

bool has_probes(const Function &function) {
  return any_of(instructions(function), [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    const auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
    return assembly && compiler::has_probe(*assembly);
  });
}

} // namespace

void report_probes(const Module &module, std::vector<Remark> &remarks) {
  for (const Function &function : module)
    if (has_probes(function))
      remarks.push_back({RemarkCode::probes_unseen, "tracers do not see the probes of " +
                                                        compiler::readable(function) +
                                                        "() in this variant (.note.stapsdt)"});
}

} // namespace sartor::compiler
