// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDY_RUST_MEASURE_H
#define STUDY_RUST_MEASURE_H

#include <array>
#include <cstddef>

#include "harness.h"

namespace sartor::rust_study {

constexpr std::array<std::size_t, 4> kSizes{100, 300, 600, 1000};

/// Ticks for each look-up, round by round; those of a round come right after one another.
struct Timings {
  bench::Samples rust_generic;
  bench::Samples rust_specialized;
  bench::Samples c_generic;
  bench::Samples c_specialized;
};

/// Throws std::runtime_error if a look-up gave a wrong port.
Timings measure_table(std::size_t rule_count, std::size_t rounds);

} // namespace sartor::rust_study

#endif
