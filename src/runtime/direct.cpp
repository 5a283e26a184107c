// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/direct.h"

#include <cstdint>
#include <cstring>

#include "base/json.h"
#include "runtime/assumptions/checked_copy.h"

namespace sartor {

namespace {

// True if a function is a stub that reads `direct`: see sartor/module.h.
bool is_read_by(const sartor_direct &direct, std::uintptr_t function) {
  std::int64_t distance = 0;
  const auto before = runtime::checked_copy(function - sizeof distance, sizeof distance);
  if (!before)
    return false;
  std::memcpy(&distance, before->data(), sizeof distance);
  return function + distance == reinterpret_cast<std::uintptr_t>(&direct);
}

} // namespace

std::unique_ptr<RuntimeEntry> routed_entry(Runtime::Impl &runtime,
                                           const core::HandlerModule::Handler &handler,
                                           sartor_direct &direct) {
  const auto function = runtime.module->address_of(handler.symbol());
  const bool is_called = function && is_read_by(direct, *function);
  auto entry = std::make_unique<RuntimeEntry>(runtime, handler.name, direct.native,
                                              is_called ? &direct : nullptr);
  if (!entry->routes_direct_calls() && runtime.events)
    runtime.events->append(
        "direct_calls",
        {{"handler", handler.name},
         {"message",
          is_called ? "are led by another Runtime of this process, which has come by the handler "
                      "first; this one leads those by its handles"
                    : "go to another definition of the handler, in a file that is not compiled as "
                      "one with handlers, or in another library; those by handles do not"}});
  return entry;
}

} // namespace sartor
