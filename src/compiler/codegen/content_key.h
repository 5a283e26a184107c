// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_CODEGEN_CONTENT_KEY_H
#define SARTOR_COMPILER_CODEGEN_CONTENT_KEY_H

#include <sartor/options.hpp>

#include "core/compiler/compiler.h"

namespace llvm {
class Module;
} // namespace llvm

namespace sartor::compiler {

/// Returns the toolchain of this process, for the current thread's target
/// (compiler/frontend/host.h).
core::Toolchain this_toolchain();

/// Returns the key of the object code that `module`, before optimization, is compiled to: a hash of
/// its bitcode and of everything that affects the output. Pass plugins count by path and build id
/// or content.
base::ContentKey content_key(const llvm::Module &module, core::Tier tier, const Pipeline &pipeline,
                             const core::Toolchain &toolchain = this_toolchain());

} // namespace sartor::compiler

#endif
