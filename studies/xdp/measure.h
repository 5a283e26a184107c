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

/// Nanoseconds for a packet, without what it takes to put one before a handler.
struct Times {
  Mix mix;
  sartor::bench::Samples generic;
  sartor::bench::Samples specialized; ///< Empty where there is no variant; see `refusal`.
  std::string refusal;
};

/// Generic code and a variant that knows the popular inputs, in turns, `rounds` times.
Times measure(const Scenario &scenario, const Mix &mix, std::size_t rounds);

/// How many packets a second have been handled up to some time, and what has just been done then.
struct Moment {
  double seconds = 0;
  double packets_per_second = 0;
  std::string step;
};

/// What comes of a handler while it is profiled, specialized, and its traffic or its tables change.
std::vector<Moment> follow(const Scenario &scenario, const Mix &mix, std::size_t windows);

} // namespace xdp

#endif
