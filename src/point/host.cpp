// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/host.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>

namespace sartor::point {

using namespace llvm;

namespace {

std::unique_ptr<TargetMachine> machine_for(const Triple &triple, StringRef cpu, StringRef features,
                                           CodeGenOptLevel level) {
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, cpu, features, TargetOptions(), Reloc::PIC_, CodeModel::Small, level, /*JIT=*/true));
}

Host find_host() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  InitializeNativeTargetAsmParser();
  SubtargetFeatures features;
  for (const auto &[name, present] : sys::getHostCPUFeatures())
    features.AddFeature(name, present);
  Host host{Triple(sys::getProcessTriple()), sys::getHostCPUName().str(), features.getString(),
            DataLayout()};
  if (auto machine = machine_for(host.triple, host.cpu, host.features, CodeGenOptLevel::Default))
    host.layout = machine->createDataLayout();
  return host;
}

} // namespace

const Host &host() {
  static const Host found = find_host();
  return found;
}

std::unique_ptr<TargetMachine> make_target_machine(CodeGenOptLevel level) {
  return machine_for(host().triple, host().cpu, host().features, level);
}

} // namespace sartor::point
