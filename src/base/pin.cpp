// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/pin.h"

#include <dlfcn.h>
#include <link.h>

namespace sartor::base {

void pin_library_of(const void *address) {
  Dl_info info{};
  link_map *map = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP) == 0 || !map ||
      !map->l_name || !*map->l_name) // the program itself has no name, and is never unloaded
    return;
  if (void *library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
    dlclose(library);
}

} // namespace sartor::base
