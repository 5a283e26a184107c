// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/allocator_memory.h"

#include <dlfcn.h>

#include "base/loaded_object.h"

namespace sartor::runtime {

const std::array<unsigned char *, kAllocators> &allocator_functions() {
  static const auto functions = [] {
    // Operators are listed because some allocators replace them, too.
    constexpr std::array<const char *, kAllocators> kNames = {
        "malloc",         "calloc", "realloc", "free",   "aligned_alloc",
        "posix_memalign", "_Znwm",  "_Znam",   "_ZdlPv", "_ZdaPv"};
    std::array<unsigned char *, kAllocators> found{};
    for (std::uint32_t i = 0; i < kAllocators; ++i)
      found[i] = static_cast<unsigned char *>(dlsym(RTLD_DEFAULT, kNames[i]));
    return found;
  }();
  return functions;
}

bool may_be_allocators(std::uintptr_t address) {
  const link_map *object = base::loaded_object(reinterpret_cast<const void *>(address));
  return !object || object == base::loaded_object(allocator_functions()[0]);
}

} // namespace sartor::runtime
