// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <atomic>
#include <cstddef>

#include <sys/mman.h>

#include "base/environment.h"
#include "base/life.h"
#include "base/own_library.h"
#include "base/thread/large_stack.h"
#include "core/compiler/compiler_library.h"
#include "core/compiler/find_compiler.h"

namespace sartor::core {

namespace {

// LLVM's libraries take 210 MiB of address space, and LLVM ends the process if memory is exhausted
// while it is being loaded.
constexpr std::size_t kLibraries = 256U << 20;
constexpr std::size_t kMemory = 16U << 20;

bool may_map(std::size_t bytes, int protection) {
  void *memory =
      mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  munmap(memory, bytes);
  return true;
}

Result<InProcessCompiler *> load() {
  if (!may_map(kLibraries, PROT_NONE) || !may_map(kMemory, PROT_READ | PROT_WRITE))
    return std::unexpected(
        Failure{ErrorCode::no_compiler, kCompilerLibrary,
                "needs more memory than this process may have: 256 MiB of addresses",
                "the generic code goes on; allow it more (ulimit -v), or compile ahead of time "
                "(`sartor compile`)"});
  const auto shown = base::load_own_library(
      kCompilerLibrary, kCompilerSymbol, base::read_environment().compiler_library,
      ErrorCode::no_compiler,
      "the generic code goes on; install the one of this build of Sartor next to libsartor.so, or "
      "set SARTOR_COMPILER_LIBRARY to its path");
  if (!shown)
    return std::unexpected(shown.error());
  base::watch_exit(); // LLVM's objects exist now, and are destroyed after the exit watch
  return &static_cast<const CompilerLibrary *>(*shown)->compiler();
}

} // namespace

// Takes no lock: a thread in a library's constructor has the dynamic linker's, and loading twice
// gives the same library.
Result<InProcessCompiler *> find_compiler() {
  static std::atomic<InProcessCompiler *> loaded = nullptr;
  if (InProcessCompiler *known = loaded)
    return known;
  auto found = base::on_large_stack(load);
  if (found)
    loaded = *found;
  return found;
}

} // namespace sartor::core
