// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DIRECT_H
#define SARTOR_RUNTIME_DIRECT_H

#include <memory>

#include "runtime/impl.h"

namespace sartor {

/// The entry of a handler that the program calls directly. Leads those calls where it can; where
/// not, the event `direct_calls` says why. With the runtime's lock held.
std::unique_ptr<RuntimeEntry> led_entry(Runtime::Impl &runtime,
                                        const core::HandlerModule::Handler &handler,
                                        sartor_direct &direct);

} // namespace sartor

#endif
