// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/objective/compared.h"

#include "base/text/json.h"
#include "tuner/limits.h"
#include "tuner/objective/saturation.h"

namespace sartor {

Objective compared(const Runtime &runtime, const Objective &objective,
                   const std::stop_token &stop) {
  if (!has_rate(objective))
    return objective;
  const auto use = processor_use(limits::look_for_saturation, stop);
  if (!use || (use->busy >= limits::saturated && use->lost <= limits::most_lost))
    return objective;
  Objective cost = cost_of_unit(objective);
  if (use->busy < limits::saturated)
    runtime.log_event(
        "not_saturated",
        dump({{"objective", objective.name}, {"busy", use->busy}, {"compared", cost.name}}));
  else
    runtime.log_event(
        "crowded",
        dump({{"objective", objective.name}, {"lost", use->lost}, {"compared", cost.name}}));
  return cost;
}

} // namespace sartor
