// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/host.h"

#include <array>
#include <utility>

#include <llvm/ADT/StringMap.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/TargetParser/SubtargetFeature.h>
#include <llvm/TargetParser/X86TargetParser.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

// LLVM before 22 finds targets by text.
const Target *target_of(const auto &triple, std::string &error) {
  if constexpr (requires { TargetRegistry::lookupTarget(triple, error); })
    return TargetRegistry::lookupTarget(triple, error);
  else
    return TargetRegistry::lookupTarget(triple.str(), error);
}

// LLVM before 21 makes machines by text.
TargetMachine *machine_of(const Target &target, const auto &triple, const auto &...more) {
  if constexpr (requires { target.createTargetMachine(triple, more...); })
    return target.createTargetMachine(triple, more...);
  else
    return target.createTargetMachine(triple.str(), more...);
}

std::unique_ptr<TargetMachine> machine_for(const Host &host, CodeGenOptLevel level) {
  std::string error;
  const Target *target = target_of(host.triple, error);
  if (!target)
    return nullptr;
  TargetOptions options;
  options.MCOptions.ABIName = host.abi;
  std::unique_ptr<TargetMachine> machine(machine_of(*target, host.triple, host.cpu, host.features,
                                                    options, Reloc::PIC_, CodeModel::Small, level,
                                                    /*JIT=*/host.abi.empty()));
  if (machine && host.triple.isARM())
    machine->setO0WantsFastISel(false); // FastISel calls library functions by absolute addresses
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
            DataLayout("")};
  if (auto machine = machine_for(host, CodeGenOptLevel::Default))
    host.layout = machine->createDataLayout();
  return host;
}

/// The minimum features of each device target (core::Architecture).
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

constexpr std::array kDevices{
    Device{"aarch64", "aarch64-unknown-linux-gnu", "generic", "+v8a", "aapcs",
           SARTOR_DEVICE_TARGET(AArch64)},
    // Long calls, because callees are far away, and because a short conditional call, as of a
    // noreturn function, is linked as a jump, which JITLink does not support.
    Device{"armv7", "armv7-unknown-linux-gnueabihf", "generic",
           "+v7,+vfp3d16,+read-tp-tpidruro,-thumb-mode,+long-calls", "aapcs-linux",
           SARTOR_DEVICE_TARGET(ARM)},
    Device{"riscv64", "riscv64-unknown-linux-gnu", "generic-rv64", "+m,+a,+f,+d,+c,+zcd,+zifencei",
           "lp64d", SARTOR_DEVICE_TARGET(RISCV)},
    // clang's defaults, which Linux 5.1 and later accept.
    Device{kKernel, "bpfel", "v3", "", "bpf", SARTOR_DEVICE_TARGET(BPF)}};
#undef SARTOR_DEVICE_TARGET

std::unexpected<Failure> unknown_target(const std::string &target, std::string why) {
  return std::unexpected(Failure{ErrorCode::wrong_target, target, std::move(why),
                                 "write native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, aarch64, "
                                 "armv7 or riscv64; the last three with features: aarch64+lse"});
}

bool has_feature(const TargetMachine &machine, StringRef name) {
  return llvm::any_of(
      machine.getMCSubtargetInfo()->getAllProcessorFeatures(),
      [&](const SubtargetFeatureKV &feature) { return StringRef(feature.Key) == name; });
}

Result<Host> host_of(const Device &device, StringRef more) {
  device.initialize();
  Host host{Triple(device.triple), device.cpu, device.features, device.abi, DataLayout("")};
  auto machine = machine_for(host, CodeGenOptLevel::Default);
  if (!machine)
    return std::unexpected(Failure{ErrorCode::wrong_target, device.name,
                                   "is not among the targets that LLVM was built with",
                                   "install an LLVM that has it"});
  host.layout = machine->createDataLayout();
  SmallVector<StringRef, 8> names;
  more.split(names, '+', -1, /*KeepEmpty=*/false);
  for (const StringRef name : names) {
    if (!has_feature(*machine, name))
      return unknown_target(device.name + more.str(), "has no feature \"" + name.str() + "\"");
    host.features += (host.features.empty() ? "+" : ",+") + name.str();
  }
  return host;
}

/// True for features that affect how code is generated, not what the processor supports.
bool is_habit(StringRef feature) { return feature == "outline-atomics" || feature == "relax"; }

thread_local const Host *aimed_at = nullptr;

} // namespace

const Host &host() {
  static const auto &found = *new Host(find_host()); // used by compiles at exit
  return aimed_at ? *aimed_at : found;
}

Result<Host> host_of(const std::string &target) {
  const auto [base, more] = StringRef(target).split('+');
  for (const Device &device : kDevices)
    if (base == device.name)
      return host_of(device, StringRef(target).substr(base.size()));
  const Host &here = host();
  SmallVector<StringRef, 64> names;
  if (!here.triple.isX86() || !StringRef(target).starts_with("x86-64") ||
      X86::parseArchX86(target, /*Only64Bit=*/true) == X86::CK_None)
    return unknown_target(target, "is no processor that is known");
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

std::string features_beyond(TargetMachine &machine, const Function &function) {
  const MCSubtargetInfo &has = *machine.getMCSubtargetInfo();
  const TargetSubtargetInfo &uses = *machine.getSubtargetImpl(function);
  const FeatureBitset beyond = uses.getFeatureBits() & ~has.getFeatureBits();
  std::string names;
  for (const SubtargetFeatureKV &feature : has.getAllProcessorFeatures())
    if (beyond.test(feature.Value) && !is_habit(feature.Key))
      names += (names.empty() ? "" : ", ") + std::string(feature.Key);
  return names;
}

} // namespace sartor::compiler
