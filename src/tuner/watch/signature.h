// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_WATCH_SIGNATURE_H
#define SARTOR_TUNER_WATCH_SIGNATURE_H

#include <optional>
#include <string>

#include "tuner/watch/shape.h"

namespace sartor {

/// What tells workloads apart: the name that the program gives to its workload, and the shape of
/// what its instrumented points see, counted in independent sightings. A value.
struct Signature {
  std::string name;
  Shape shape;

  /// Whether it says anything: there is a name, or a point that has seen enough.
  [[nodiscard]] bool is_known() const;
};

/// How unlike two signatures of one workload are, 0 to 1; nothing if they are of different ones:
/// names differ, or what some point sees does by much, and that is no chance. Points that have
/// seen too little to tell are left out.
std::optional<double> distance(const Signature &left, const Signature &right);

} // namespace sartor

#endif
