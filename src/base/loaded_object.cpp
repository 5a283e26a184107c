// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/loaded_object.h"

#include <dlfcn.h>

namespace sartor::base {

const link_map *loaded_object(const void *address) noexcept {
  dl_find_object found{};
  return _dl_find_object(const_cast<void *>(address), &found) == 0 ? found.dlfo_link_map : nullptr;
}

} // namespace sartor::base
