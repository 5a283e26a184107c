// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_GUARD_PROCESS_H
#define SARTOR_BENCH_GUARD_PROCESS_H

#include <cstddef>

#include "figures.h"

namespace sartor::bench {

// The costs of quasi-invariants and variants for their process. Each is measured in children of the
// calling process, which must not have a Runtime yet.

/// Measures the exceptions that two threads throw in a given time with one variant active, as a
/// share of those in a process without a variant.
Interval throws_two_threads_over_one();
/// Measures the microseconds per MiB to declare an object whose pages are claimed.
Interval protect_us_per_mib(std::size_t mib);
/// Measures the milliseconds of fork() with `quasi_invariants` quasi-invariants, and four threads
/// that write through their write guards.
Interval fork_ms(std::size_t quasi_invariants);
/// Measures the growth of the process per invalidation, while one thread is in a blocking section.
Interval growth_bytes_per_invalidation();

} // namespace sartor::bench

#endif
