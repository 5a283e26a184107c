// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_HOST_H
#define SARTOR_COMPILER_FRONTEND_HOST_H

#include <memory>
#include <string>

#include <llvm/Target/TargetMachine.h>

#include "base/default_floats.h"
#include "base/result.h"

namespace sartor::compiler {

/// The machine that variants are made for.
struct Host {
  llvm::Triple triple;
  std::string cpu;
  std::string features; ///< LLVM's "+avx2,-avx512f,...".
  std::string abi;      ///< LLVM's name; empty: the target's own.
  llvm::DataLayout layout;
};

/// What this thread makes code for: the machine we run on, or what it aims at. Initialises LLVM's
/// native target on first use.
const Host &host();

/// The target whose code runs in Linux.
inline constexpr const char *kKernel = "bpf";

/// Any machine that has a level of the x86-64 psABI, "x86-64-v3", or of another architecture that
/// images are made for: "aarch64", "armv7", "riscv64", each with what features of LLVM's it has
/// besides: "aarch64+lse+crc"; or the kernel (kKernel). Fails with wrong_target where there is no
/// such thing.
Result<Host> host_of(const std::string &target);

/// As long as it is there, its thread makes code for another host, which must outlive it; null is
/// the machine we run on. LLVM takes it that numbers are computed in the default floating-point
/// environment: so they are.
class Aim {
public:
  explicit Aim(const Host *host);
  ~Aim();
  Aim(const Aim &) = delete;
  Aim &operator=(const Aim &) = delete;

private:
  const Host *before_;
  base::DefaultFloats floats_;
};

/// Position-independent code for the host. One thread at a time.
std::unique_ptr<llvm::TargetMachine> make_target_machine(llvm::CodeGenOptLevel level);

/// What a function's code may use and the machine does not have: LLVM's names, comma-separated.
std::string features_beyond(llvm::TargetMachine &machine, const llvm::Function &function);

} // namespace sartor::compiler

#endif
