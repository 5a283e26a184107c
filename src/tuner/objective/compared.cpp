// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/objective/compared.h"

#include "base/json.h"
#include "tuner/limits.h"
#include "tuner/objective/saturation.h"

namespace sartor {

Objective compared(const Runtime &runtime, const Objective &objective,
                   const std::stop_token &stop) {
  if (!has_rate(objective))
    return objective;
  const auto busy = busy_share(limits::look_for_saturation, stop);
  if (!busy || *busy >= limits::saturated)
    return objective;
  Objective cost = cost_of_unit(objective);
  runtime.log_event(
      "not_saturated",
      dump({{"objective", objective.name}, {"busy", *busy}, {"compared", cost.name}}));
  return cost;
}

} // namespace sartor
