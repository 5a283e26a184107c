// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_POINT_HOST_H
#define SARTOR_POINT_HOST_H

#include <memory>
#include <string>

#include <llvm/Target/TargetMachine.h>

#include "observe/result.h"

namespace sartor::point {

/// The machine that variants are made for.
struct Host {
  llvm::Triple triple;
  std::string cpu;
  std::string features; ///< LLVM's "+avx2,-avx512f,...".
  llvm::DataLayout layout;
};

/// The machine we run on. Initialises LLVM's native target on first use; immutable afterwards.
const Host &host();

/// Position-independent code for the host. One thread at a time.
std::unique_ptr<llvm::TargetMachine> make_target_machine(llvm::CodeGenOptLevel level);

} // namespace sartor::point

#endif
