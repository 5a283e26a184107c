// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <utility>

#include "engine/life.h"
#include "engine/own_library.h"
#include "jit/compiler.h"
#include "jit/compiler_library.h"
#include "rights/environment.h"

namespace sartor::jit {

namespace {

Result<Compiler *> load() {
  const auto shown = engine::load_own_library(
      kCompilerLibrary, kCompilerSymbol, rights::read_environment().compiler_library,
      ErrorCode::no_compiler,
      "the generic code goes on; install the one of this build of Sartor beside libsartor.so, or "
      "set SARTOR_COMPILER_LIBRARY to its path");
  if (!shown)
    return std::unexpected(shown.error());
  engine::watch_exit(); // LLVM's objects are made, and go after what watches
  return &static_cast<const CompilerLibrary *>(*shown)->compiler();
}

} // namespace

// Without a lock: whoever is in a library's constructor has the dynamic linker's, and whoever loads
// twice gets the same.
Result<Compiler *> find_compiler() {
  static std::atomic<Compiler *> loaded = nullptr;
  if (Compiler *known = loaded)
    return known;
  auto found = load();
  if (found)
    loaded = *found;
  return found;
}

} // namespace sartor::jit
