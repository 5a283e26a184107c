// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/opening.h"

#include <ctime>
#include <optional>
#include <utility>

#include "jit/compiler.h"
#include "space/stored_module.h"
#include "store/request_key.h"

namespace sartor::jit {

Result<point::HandlerModule> open_embedded(std::span<const sartor_module> modules,
                                           store::Stores &stores) {
  const auto key = stores.disk ? store::opening_key(modules, store::made_here()) : std::nullopt;
  if (key)
    if (const auto stored = stores.disk->find(*key))
      if (auto module = point::unpack(*stored)) {
        module->resolve(modules);
        return module;
      }
  auto found = compiler();
  if (!found)
    return std::unexpected(std::move(found.error()));
  auto module = (*found)->load_embedded(modules);
  // What had to be left out is tried again the next time.
  if (key && module && module->left_out.empty()) {
    const Toolchain &toolchain = (*found)->toolchain();
    stores.disk->insert(*key,
                        {"(handlers and points)", "", module->source, "opening", toolchain.cpu,
                         toolchain.llvm, toolchain.sartor, std::time(nullptr)},
                        point::pack(*module));
  }
  return module;
}

} // namespace sartor::jit
