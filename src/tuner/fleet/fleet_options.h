// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_FLEET_FLEET_OPTIONS_H
#define SARTOR_TUNER_FLEET_FLEET_OPTIONS_H

#include <string_view>

#include <sartor/fleet.hpp>

#include "base/result.h"

namespace sartor {

/// Reads FleetOptions from JSON, by their names; durations in seconds, `alone` by a strategy's
/// name. Fails with bad_json, which names the option; throws what make_strategy() throws.
Result<FleetOptions> fleet_options_from_json(std::string_view text);

} // namespace sartor

#endif
