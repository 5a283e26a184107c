// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_GUARD_HANDLER_H
#define SARTOR_BENCH_GUARD_HANDLER_H

#include <cstdint>

namespace sartor::bench {

/// A handler that is small enough to show the cost of a guard: one multiplication by K.
std::uint64_t step(std::uint64_t state, std::uint64_t key);

/// The object of a quasi-invariant.
struct Counted {
  std::uint64_t limit = 0;
  std::uint64_t count = 0;
};
std::uint64_t count_up_to(Counted *counted, std::uint64_t more);
/// Waits in a blocking section.
int wait_for_byte(int file);

} // namespace sartor::bench

#endif
