// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_GUARD_PROCESS_H
#define SARTOR_BENCH_GUARD_PROCESS_H

#include <cstddef>

#include "figures.h"

namespace sartor::bench {

// What quasi-invariants and variants cost the process that they are in. Each is measured in
// children of the calling process, which must not have a Runtime yet.

/// How many exceptions two threads throw in a time with one variant active, as a share of what they
/// throw in a process that has none.
Interval throws_two_threads_over_one();
/// Microseconds for each MiB of an object that is declared, and whose pages are claimed.
Interval protect_us_per_mib(std::size_t mib);
/// Milliseconds that fork() takes with so many quasi-invariants, and four threads that write by
/// their guards.
Interval fork_ms(std::size_t quasi_invariants);
/// By how much the process grows with each invalidation, while one thread is in a blocking section.
Interval growth_bytes_per_invalidation();

} // namespace sartor::bench

#endif
