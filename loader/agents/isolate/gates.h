// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_GATES_H
#define SARTOR_LOADER_AGENTS_ISOLATE_GATES_H

#include <cstddef>
#include <cstdint>

#include "agents/isolate/domain.h"

namespace sartor::isolate {

/// Returns the gate to a function of a domain, and creates it if there is none. A gate is code that
/// does from outside what the function does: it enters the domain, and leaves it when the function
/// returns.
std::uintptr_t make_gate(Domain &domain, std::uintptr_t function);

/// Returns the gate to a function; 0 if there is none.
std::uintptr_t find_gate(std::uintptr_t function);

} // namespace sartor::isolate

#endif
