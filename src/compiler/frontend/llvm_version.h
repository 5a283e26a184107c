// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Differences between the supported versions of LLVM's interface that several files have to do
/// with.
#ifndef SARTOR_COMPILER_FRONTEND_LLVM_VERSION_H
#define SARTOR_COMPILER_FRONTEND_LLVM_VERSION_H

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>

// Much compiles with LLVM 19 already; the plugin does not.
#if LLVM_VERSION_MAJOR < 22
#error "Sartor needs LLVM 22 or newer"
#endif

namespace sartor::compiler {

/// The target of a module, which LLVM before 21 keeps as text.
inline llvm::Triple triple_of(const llvm::Module &module) {
  return llvm::Triple(module.getTargetTriple());
}

/// Sets the target of a module.
void set_triple(auto &module, const auto &triple) {
  if constexpr (requires { module.setTargetTriple(triple); })
    module.setTargetTriple(triple);
  else
    module.setTargetTriple(triple.str());
}

} // namespace sartor::compiler

#endif
