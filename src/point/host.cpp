// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/host.h"

#include <utility>

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/TargetParser/X86TargetParser.h>

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

thread_local const Host *aimed_at = nullptr;

} // namespace

const Host &host() {
  static const Host found = find_host();
  return aimed_at ? *aimed_at : found;
}

Result<Host> host_of_level(const std::string &level) {
  const Host &here = host();
  SmallVector<StringRef, 64> names;
  if (!here.triple.isX86() || !StringRef(level).starts_with("x86-64") ||
      X86::parseArchX86(level, /*Only64Bit=*/true) == X86::CK_None)
    return std::unexpected(Failure{ErrorCode::wrong_target, level, "is no level of x86-64",
                                   "write native, or x86-64, x86-64-v2, x86-64-v3, x86-64-v4"});
  X86::getFeaturesForCPU(level, names);
  SubtargetFeatures features;
  for (const StringRef name : names)
    features.AddFeature(name);
  return Host{here.triple, level, features.getString(), here.layout};
}

Aim::Aim(const Host *host) : before_(std::exchange(aimed_at, host)) {}
Aim::~Aim() { aimed_at = before_; }

std::unique_ptr<TargetMachine> make_target_machine(CodeGenOptLevel level) {
  return machine_for(host().triple, host().cpu, host().features, level);
}

} // namespace sartor::point
