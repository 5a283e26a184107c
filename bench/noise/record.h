// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_NOISE_RECORD_H
#define SARTOR_BENCH_NOISE_RECORD_H

#include <filesystem>
#include <vector>

#include <sartor/sartor.hpp>

#include "variants.h"
#include "watched.h"

namespace sartor::bench {

/// A program that runs and does not change; `configurations` are in force in turns. What it is made
/// from must outlive it.
struct Recorded {
  Runtime &runtime;
  Objective objective;
  std::vector<Configuration> configurations; ///< The first is the generic code.
};

/// What each configuration does, as an explorer reads it: slices of the default length, by the
/// explorer's own reader, in rounds of random order.
RecordedVariants record_variants(const Recorded &program, double seconds);

/// What the watch sees, by its own reader of costs with its defaults: again and again a beat of
/// what is in force, and a pair with its rival. What the instrumented point `kind` sees is counted,
/// where there is one.
Watched record_watched(const Recorded &program, const Configuration &in_force,
                       const Configuration &rival, double seconds);

/// In seconds.
struct Lengths {
  double variants, watched;
};
/// Both, into `name`.variants and `name`.watched: what is watched is the best of the
/// configurations, and its rival the second.
void record(const Recorded &program, const std::filesystem::path &name, Lengths lengths);

} // namespace sartor::bench

#endif
