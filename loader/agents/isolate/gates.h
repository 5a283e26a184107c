// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_GATES_H
#define SARTOR_LOADER_AGENTS_ISOLATE_GATES_H

#include <cstddef>
#include <cstdint>

#include "agents/isolate/domain.h"

namespace sartor::isolate {

/// The gate to a function of a domain: code that does what the function does, from outside. It
/// enters the domain, and leaves it when the function returns. One is made if there is none yet.
std::uintptr_t make_gate(Domain &domain, std::uintptr_t function);

/// Likewise, but 0 if there is none.
std::uintptr_t find_gate(std::uintptr_t function);

} // namespace sartor::isolate

#endif
