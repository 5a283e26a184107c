// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_HOST_H
#define SARTOR_COMPILER_FRONTEND_HOST_H

#include <memory>
#include <string>

#include <llvm/Target/TargetMachine.h>

#include "base/default_floats.h"
#include "base/result.h"

namespace sartor::compiler {

/// The machine that variants are compiled for.
struct Host {
  llvm::Triple triple;
  std::string cpu;
  std::string features; ///< In LLVM's form: "+avx2,-avx512f,...".
  std::string abi;      ///< LLVM's name; empty for the target's default.
  llvm::DataLayout layout;
};

/// Returns the machine that this thread generates code for: the machine it runs on, or that of the
/// innermost Aim. Initializes LLVM's native target on first use.
const Host &host();

/// The name of the target for code in the Linux kernel.
inline constexpr const char *kKernel = "bpf";

/// Returns the description of a target: a level of the x86-64 psABI ("x86-64-v3"); another
/// architecture that images are made for ("aarch64", "armv7", "riscv64"), with additional features
/// in LLVM's names ("aarch64+lse+crc"); or the kernel (kKernel). Fails with wrong_target for any
/// other text.
Result<Host> host_of(const std::string &target);

/// Makes its thread generate code for another host during its lifetime. The host must outlive it;
/// null selects the machine that the process runs on. LLVM assumes that constants are computed in
/// the default floating-point environment: Aim sets it.
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

/// Creates a target machine that generates position-independent code for the host. Each is for one
/// thread at a time.
std::unique_ptr<llvm::TargetMachine> make_target_machine(llvm::CodeGenOptLevel level);

/// Returns the features that a function's code may use and the machine lacks: LLVM's names,
/// comma-separated.
std::string features_beyond(llvm::TargetMachine &machine, const llvm::Function &function);

} // namespace sartor::compiler

#endif
