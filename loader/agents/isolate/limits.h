// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_LIMITS_H
#define SARTOR_LOADER_AGENTS_ISOLATE_LIMITS_H

#include <cstddef>

/// Capacities of the agent's tables. The tables cannot grow, since they are used where no memory
/// can be allocated. The pass that plans the domains must respect these limits.
namespace sartor::isolate {

constexpr std::size_t most_domains = 16;
constexpr std::size_t most_libraries = 16; ///< Libraries of one domain.
constexpr std::size_t most_gates = 16384;

} // namespace sartor::isolate

#endif
