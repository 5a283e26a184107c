// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_CONTENT_KEY_H
#define SARTOR_JIT_CONTENT_KEY_H

#include <string>

#include <sartor/options.hpp>

#include "jit/hash.h"
#include "jit/tier.h"

namespace llvm {
class Module;
} // namespace llvm

namespace sartor::jit {

/// What turns IR into object code, as far as it decides what comes out.
struct Toolchain {
  std::string sartor; ///< Version.
  std::string llvm;   ///< Version.
  std::string build;  ///< Build ids of the code of both. Empty: one has none, and no key is good.
  std::string triple;
  std::string cpu;      ///< LLVM's name.
  std::string features; ///< LLVM's "+avx2,-avx512f,...".
};

/// The one of this process. Immutable.
const Toolchain &this_toolchain();

/// The key of the object code that comes of `module`, not optimised yet: of its bitcode and all
/// that decides what becomes of it. Pass plugins count by path and build id or content.
ContentKey content_key(const llvm::Module &module, Tier tier, const Pipeline &pipeline,
                       const Toolchain &toolchain = this_toolchain());

} // namespace sartor::jit

#endif
