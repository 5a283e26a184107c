// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_CHANGE_DETECTION_SIGNATURE_H
#define SARTOR_TUNER_CHANGE_DETECTION_SIGNATURE_H

#include <optional>
#include <string>

#include "tuner/change_detection/shape.h"

namespace sartor {

/// Identifies a workload: the name that the program gives it, and the shape of the inputs at its
/// instrumented points, counted in independent sightings. A value type.
struct Signature {
  std::string name;
  Shape shape;

  /// True if there is a name, or a point that has seen enough.
  [[nodiscard]] bool is_known() const;
};

/// Distance between two signatures of one workload, 0 to 1. Empty if they are of different
/// workloads: names differ, or the inputs of some point differ by much, and not by chance. Points
/// that have seen too little are ignored; a name suffices if all have.
std::optional<double> distance(const Signature &left, const Signature &right);

} // namespace sartor

#endif
