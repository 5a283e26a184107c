// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_CHAIN_H
#define SARTOR_BENCH_CHAIN_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sartor::bench {

/// Calls `step` once for each key. Each call depends on the result of the previous one, so that the
/// cost of a call cannot overlap with its neighbors.
template <class Step>
[[gnu::noinline]] std::uint64_t chain(Step step, const std::vector<std::uint64_t> &keys) {
  std::uint64_t state = 1;
  for (const std::uint64_t key : keys)
    state = step(state, key);
  return state;
}

} // namespace sartor::bench

#endif
