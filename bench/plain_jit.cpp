// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plain_jit.h"

#include <stdexcept>
#include <type_traits>
#include <utility>

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>

namespace sartor::bench {

using namespace llvm;

namespace {

template <class T> T or_throw(Expected<T> expected) {
  if (!expected)
    throw std::runtime_error(toString(expected.takeError()));
  if constexpr (std::is_reference_v<T>)
    return *expected;
  else
    return std::move(*expected);
}

void or_throw(Error error) {
  if (error)
    throw std::runtime_error(toString(std::move(error)));
}

/// Replaces calls `sartor.point.<type>(value, label, ...)` by constants, or by their value.
void fix_points(Module &module, const std::map<std::string, std::uint64_t> &constants) {
  for (Function &mark : module)
    if (mark.getName().starts_with("sartor.point."))
      while (!mark.use_empty()) {
        auto *point = cast<CallInst>(mark.user_back());
        StringRef label;
        getConstantStringInfo(point->getArgOperand(1), label);
        const auto constant = constants.find(label.str());
        point->replaceAllUsesWith(constant == constants.end()
                                      ? point->getArgOperand(0)
                                      : ConstantInt::get(point->getType(), constant->second));
        point->eraseFromParent();
      }
}

/// Changes the code's target to this machine.
void retarget(Module &module, const TargetMachine &machine) {
  for (Function &function : module) {
    function.removeFnAttr("tune-cpu");
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
  }
}

void optimise(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3).run(module, modules);
}

} // namespace

struct PlainJit::Impl {
  const sartor_module &source;
  std::unique_ptr<TargetMachine> machine;
  std::unique_ptr<orc::LLJIT> jit;
  orc::JITDylib *variant = nullptr; // of the last compile
  unsigned count = 0;

  explicit Impl(const sartor_module &module) : source(module) {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    auto builder = or_throw(orc::JITTargetMachineBuilder::detectHost());
    builder.setCodeGenOptLevel(CodeGenOptLevel::Aggressive);
    machine = or_throw(builder.createTargetMachine());
    jit = or_throw(orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(builder)).create());
  }

  /// Defines the bitcode's names of objects in the program.
  void define_symbols(const Module &module) {
    orc::SymbolMap addresses;
    for (std::uint64_t i = 0; i < source.symbol_count; ++i) {
      const sartor_symbol &symbol = source.symbols[i];
      const GlobalValue *global = module.getNamedValue(symbol.name);
      if (global && global->isDeclaration())
        addresses[jit->mangleAndIntern(symbol.name)] = {orc::ExecutorAddr::fromPtr(symbol.address),
                                                        JITSymbolFlags::Exported};
    }
    or_throw(variant->define(orc::absoluteSymbols(std::move(addresses))));
  }
};

PlainJit::PlainJit(const sartor_module &module) : impl_(std::make_unique<Impl>(module)) {}
PlainJit::~PlainJit() = default;

void *PlainJit::compile(const std::string &function,
                        const std::map<std::string, std::uint64_t> &constants) {
  Impl &impl = *impl_;
  if (impl.variant)
    or_throw(impl.jit->getExecutionSession().removeJITDylib(*impl.variant));
  impl.variant = &or_throw(impl.jit->createJITDylib("variant" + std::to_string(impl.count++)));

  auto context = std::make_unique<LLVMContext>();
  const StringRef bytes(reinterpret_cast<const char *>(impl.source.bitcode),
                        impl.source.bitcode_size);
  auto module = or_throw(parseBitcodeFile(MemoryBufferRef(bytes, impl.source.source), *context));
  fix_points(*module, constants);
  retarget(*module, *impl.machine);
  impl.define_symbols(*module);
  optimise(*module, *impl.machine);
  or_throw(impl.jit->addIRModule(*impl.variant,
                                 orc::ThreadSafeModule(std::move(module), std::move(context))));
  return or_throw(impl.jit->lookup(*impl.variant, function)).toPtr<void *>();
}

} // namespace sartor::bench
