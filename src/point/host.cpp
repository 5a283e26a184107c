// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/host.h"

#include <array>
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

std::unique_ptr<TargetMachine> machine_for(const Host &host, CodeGenOptLevel level) {
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(host.triple, error);
  if (!target)
    return nullptr;
  TargetOptions options;
  options.MCOptions.ABIName = host.abi;
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(host.triple, host.cpu, host.features, options, Reloc::PIC_,
                                  CodeModel::Small, level, /*JIT=*/host.abi.empty()));
  if (machine && host.triple.isARM())
    machine->setO0WantsFastISel(false); // which calls library functions by their addresses
  return machine;
}

Host find_host() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  InitializeNativeTargetAsmParser();
  SubtargetFeatures features;
  for (const auto &[name, present] : sys::getHostCPUFeatures())
    features.AddFeature(name, present);
  Host host{Triple(sys::getProcessTriple()),
            sys::getHostCPUName().str(),
            features.getString(),
            {},
            DataLayout()};
  if (auto machine = machine_for(host, CodeGenOptLevel::Default))
    host.layout = machine->createDataLayout();
  return host;
}

/// What other machines have at least (image::Architecture).
struct Device {
  const char *name;
  const char *triple;
  const char *cpu;
  const char *features;
  const char *abi;
  void (*initialize)();
};

#define SARTOR_DEVICE_TARGET(Name)                                                                 \
  [] {                                                                                             \
    LLVMInitialize##Name##TargetInfo();                                                            \
    LLVMInitialize##Name##Target();                                                                \
    LLVMInitialize##Name##TargetMC();                                                              \
    LLVMInitialize##Name##AsmPrinter();                                                            \
    LLVMInitialize##Name##AsmParser();                                                             \
  }

constexpr std::array kDevices{Device{"aarch64", "aarch64-unknown-linux-gnu", "generic", "", "aapcs",
                                     SARTOR_DEVICE_TARGET(AArch64)},
                              Device{"armv7", "armv7-unknown-linux-gnueabihf", "generic",
                                     "+v7,+vfp3d16,-thumb-mode", "aapcs-linux",
                                     SARTOR_DEVICE_TARGET(ARM)},
                              Device{"riscv64", "riscv64-unknown-linux-gnu", "generic-rv64",
                                     "+m,+a,+f,+d,+c", "lp64d", SARTOR_DEVICE_TARGET(RISCV)}};
#undef SARTOR_DEVICE_TARGET

Result<Host> host_of(const Device &device) {
  device.initialize();
  Host host{Triple(device.triple), device.cpu, device.features, device.abi, DataLayout()};
  const auto machine = machine_for(host, CodeGenOptLevel::Default);
  if (!machine)
    return std::unexpected(Failure{ErrorCode::wrong_target, device.name,
                                   "is not among the targets that LLVM was built with",
                                   "install an LLVM that has it"});
  host.layout = machine->createDataLayout();
  return host;
}

thread_local const Host *aimed_at = nullptr;

} // namespace

const Host &host() {
  static const Host found = find_host();
  return aimed_at ? *aimed_at : found;
}

Result<Host> host_of(const std::string &target) {
  for (const Device &device : kDevices)
    if (target == device.name)
      return host_of(device);
  const Host &here = host();
  SmallVector<StringRef, 64> names;
  if (!here.triple.isX86() || !StringRef(target).starts_with("x86-64") ||
      X86::parseArchX86(target, /*Only64Bit=*/true) == X86::CK_None)
    return std::unexpected(Failure{ErrorCode::wrong_target, target, "is no processor that is known",
                                   "write native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, "
                                   "aarch64, armv7 or riscv64"});
  X86::getFeaturesForCPU(target, names);
  SubtargetFeatures features;
  for (const StringRef name : names)
    features.AddFeature(name);
  return Host{here.triple, target, features.getString(), {}, here.layout};
}

Aim::Aim(const Host *host) : before_(std::exchange(aimed_at, host)) {}
Aim::~Aim() { aimed_at = before_; }

std::unique_ptr<TargetMachine> make_target_machine(CodeGenOptLevel level) {
  return machine_for(host(), level);
}

} // namespace sartor::point
