// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DIRECT_H
#define SARTOR_RUNTIME_DIRECT_H

#include <memory>

#include "runtime/impl.h"

namespace sartor {

/// Creates the entry of a handler that the program calls directly. Direct calls are routed to the
/// entry if possible; if not, the event `direct_calls` gives the reason. The runtime's lock must be
/// held.
std::unique_ptr<RuntimeEntry> routed_entry(Runtime::Impl &runtime,
                                           const core::HandlerModule::Handler &handler,
                                           sartor_direct &direct);

} // namespace sartor

#endif
