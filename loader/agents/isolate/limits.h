// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_ISOLATE_LIMITS_H
#define SARTOR_LOADER_AGENTS_ISOLATE_LIMITS_H

#include <cstddef>

/// What there is room for: the agent's tables cannot grow, since they are used where no memory can
/// be asked for. Who plans must know.
namespace sartor::isolate {

constexpr std::size_t most_domains = 16;
constexpr std::size_t most_libraries = 16; ///< Of one domain.
constexpr std::size_t most_gates = 16384;

} // namespace sartor::isolate

#endif
