// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_SWITCH_HANDLER_H
#define SARTOR_BENCH_SWITCH_HANDLER_H

#include <cstdint>

namespace sartor::bench {

/// A handler that counts its calls before its guard, so that a lost or repeated call would show.
std::uint64_t counted_step(std::uint64_t state, std::uint64_t key, std::uint64_t *calls);

} // namespace sartor::bench

#endif
