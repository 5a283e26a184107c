// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_EXPLORE_WATCH_SIGNATURE_H
#define SARTOR_EXPLORE_WATCH_SIGNATURE_H

#include <string>

#include "explore/watch/change_shape.h"

namespace sartor {

/// What tells workloads apart: the name that the program gives to its workload, and the shape of
/// what its instrumented points see. A value.
struct Signature {
  std::string name;
  Shape shape;

  /// Whether it says anything: there is a name, or a point that has seen enough.
  [[nodiscard]] bool is_known() const;
};

/// How unlike two signatures are: 0 to 1, and 1 for different names. Points that have seen too
/// little to tell are left out.
double distance(const Signature &left, const Signature &right);

/// Signatures closer than this are of one workload.
constexpr double same_workload = 0.2;

} // namespace sartor

#endif
