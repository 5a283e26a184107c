// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/program_unwinder.h"

#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/ExecutionEngine/Orc/Shared/AllocationActions.h>
#include <llvm/ExecutionEngine/Orc/Shared/SimplePackedSerialization.h>
#include <llvm/ExecutionEngine/Orc/Shared/WrapperFunctionUtils.h>

// The one that libsartor.so, and LLVM with it, is bound to.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): libgcc's name
extern "C" void __register_frame(void *);

namespace sartor::jit {

using namespace llvm;
using namespace llvm::orc;
using namespace llvm::orc::shared;

namespace {

using Arguments = SPSArgList<SPSExecutorAddr, SPSExecutorAddr>;

/// Calls a function of the unwinder with an unwind section: what LLVM runs when code comes and
/// goes.
CWrapperFunctionBuffer tell(const char *data, std::size_t size) {
  return WrapperFunction<SPSError(SPSExecutorAddr, SPSExecutorAddr)>::handle(
             data, size,
             [](ExecutorAddr function, ExecutorAddr section) -> llvm::Error {
               function.toPtr<void (*)(void *)>()(section.toPtr<void *>());
               return llvm::Error::success();
             })
      .release();
}

llvm::Expected<WrapperFunctionCall> telling(void *function, ExecutorAddr section) {
  return WrapperFunctionCall::Create<Arguments>(ExecutorAddr::fromPtr(&tell),
                                                ExecutorAddr::fromPtr(function), section);
}

} // namespace

std::shared_ptr<ProgramUnwinder> ProgramUnwinder::find(const Linker::Symbols &program) {
  const auto registers = program.find("__register_frame");
  const auto deregisters = program.find("__deregister_frame");
  if (registers == program.end() || deregisters == program.end() || !registers->second ||
      !deregisters->second || registers->second == reinterpret_cast<void *>(&__register_frame))
    return nullptr;
  return std::make_shared<ProgramUnwinder>(registers->second, deregisters->second);
}

void ProgramUnwinder::modifyPassConfig(MaterializationResponsibility & /*responsibility*/,
                                       jitlink::LinkGraph & /*graph*/,
                                       jitlink::PassConfiguration &passes) {
  // When addresses are known, and what is to be done then is not yet fixed.
  passes.PostFixupPasses.push_back([this](jitlink::LinkGraph &linked) -> llvm::Error {
    const jitlink::Section *section = linked.findSectionByName(".eh_frame");
    if (!section || section->empty())
      return llvm::Error::success();
    const ExecutorAddr begin = jitlink::SectionRange(*section).getStart();
    linked.allocActions().push_back(
        {cantFail(telling(registers_, begin)), cantFail(telling(deregisters_, begin))});
    return llvm::Error::success();
  });
}

} // namespace sartor::jit
