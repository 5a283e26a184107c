// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_MEASURE_H
#define SARTOR_STUDY_XDP_MEASURE_H

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness.h"
#include "scenario.h"

namespace xdp {

/// Nanoseconds per packet, without the cost of passing one to a handler.
struct Times {
  Mix mix;
  sartor::bench::Samples generic;
  /// Empty if there is no variant, see `refusal`, or if it is too short to measure.
  sartor::bench::Samples specialized;
  std::string refusal;
};

/// Measures generic code and a variant that knows the popular inputs, interleaved, `rounds` times.
Times measure(const Scenario &scenario, const Mix &mix, std::size_t rounds);

/// Packets per second up to a time, and the action that has just been taken then.
struct Moment {
  double seconds = 0;
  double packets_per_second = 0;
  std::string step;
};

/// Measures a handler over time while it is profiled, specialized, and its traffic or its tables
/// change.
std::vector<Moment> follow(const Scenario &scenario, const Mix &mix, std::size_t windows);

} // namespace xdp

#endif
