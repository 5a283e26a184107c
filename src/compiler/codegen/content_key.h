// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_CONTENT_KEY_H
#define SARTOR_COMPILER_CODEGEN_CONTENT_KEY_H

#include <sartor/options.hpp>

#include "core/compiler/compiler.h"

namespace llvm {
class Module;
} // namespace llvm

namespace sartor::compiler {

/// The one of this process, for what this thread aims at (compiler/frontend/host.h).
core::Toolchain this_toolchain();

/// The key of the object code that comes of `module`, not optimised yet: of its bitcode and all
/// that decides what becomes of it. Pass plugins count by path and build id or content.
base::ContentKey content_key(const llvm::Module &module, core::Tier tier, const Pipeline &pipeline,
                             const core::Toolchain &toolchain = this_toolchain());

} // namespace sartor::compiler

#endif
