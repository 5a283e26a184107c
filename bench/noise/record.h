// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_RECORD_H
#define SARTOR_BENCH_NOISE_RECORD_H

#include <filesystem>
#include <vector>

#include <sartor/sartor.hpp>

#include "variants.h"
#include "watched.h"

namespace sartor::bench {

/// A running program that does not change; `configurations` are activated in turn. The referenced
/// objects must outlive it.
struct Recorded {
  Runtime &runtime;
  Objective objective;
  std::vector<Configuration> configurations; ///< The first is the generic code.
};

/// Records the throughput of each configuration as an explorer measures it: samples of the default
/// length, by the explorer's own reader, in rounds of random order.
RecordedVariants record_variants(const Recorded &program, double seconds);

/// Records the measurements of change detection, by its own reader of costs with its defaults:
/// repeatedly a sample of the active configuration, and a pair with its rival. The values at the
/// instrumented point `kind` are counted, if there is one.
Watched record_watched(const Recorded &program, const Configuration &active,
                       const Configuration &rival, double seconds);

/// Durations of the recordings in seconds.
struct Lengths {
  double variants, watched;
};
/// Records both, into `name`.variants and `name`.watched. The second recording has the best of the
/// configurations active, with the second best as its rival.
void record(const Recorded &program, const std::filesystem::path &name, Lengths lengths);

} // namespace sartor::bench

#endif
