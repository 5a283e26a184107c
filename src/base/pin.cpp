// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/pin.h"

#include <dlfcn.h>
#include <link.h>

#include "base/loaded_object.h"

namespace sartor::base {

void pin_library_of(const void *address) {
  const link_map *map = loaded_object(address);
  if (!map || !map->l_name || !*map->l_name) // the program has no name, and is never unloaded
    return;
  if (void *library = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE))
    dlclose(library);
}

} // namespace sartor::base
