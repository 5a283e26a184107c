// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDY_RUST_MEASURE_H
#define STUDY_RUST_MEASURE_H

#include <array>
#include <cstddef>

#include "harness.h"

namespace sartor::rust_study {

constexpr std::array<std::size_t, 4> kSizes{100, 300, 600, 1000};

/// Ticks for each lookup, round by round; the samples of a round are taken in immediate succession.
struct Timings {
  bench::Samples rust_generic;
  bench::Samples rust_specialized;
  bench::Samples c_generic;
  bench::Samples c_specialized;
};

/// Throws std::runtime_error if a lookup gave a wrong port.
Timings measure_table(std::size_t rule_count, std::size_t rounds);

} // namespace sartor::rust_study

#endif
