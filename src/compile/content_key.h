// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_CONTENT_KEY_H
#define SARTOR_JIT_CONTENT_KEY_H

#include <sartor/options.hpp>

#include "compiler/compiler.h"

namespace llvm {
class Module;
} // namespace llvm

namespace sartor::jit {

/// The one of this process, for what this thread aims at (point/host.h).
Toolchain this_toolchain();

/// The key of the object code that comes of `module`, not optimised yet: of its bitcode and all
/// that decides what becomes of it. Pass plugins count by path and build id or content.
store::ContentKey content_key(const llvm::Module &module, Tier tier, const Pipeline &pipeline,
                              const Toolchain &toolchain = this_toolchain());

} // namespace sartor::jit

#endif
