// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_BRIDGE_CONTROL_H
#define SARTOR_STUDY_NF_BRIDGE_CONTROL_H

#include "bridge.h"
#include "functions.h"

namespace nf {

extern const Function bridge_function;

/// Parses a table of a configuration file. All keys are optional:
///
///     [bridge]
///     ageing = 300                       # seconds until a silent station is forgotten
///     mtu = 1500
///     [[bridge.station]]                 # stays where it is
///     mac = "02:00:00:00:00:01"
///     side = "internal"
///     [[bridge.filter]]                  # the first match applies
///     source = "02:00:00:00:00:01"       # and `destination`; left out: all
///     source_mask = "ff:ff:ff:00:00:00"  # and `destination_mask`; left out: all of it
///     type = 0x0806                      # left out: all
///     side = "external"                  # by which it comes; or "internal"; left out: both
///     action = "discard"                 # or "forward"
///
/// Throws BadConfiguration.
BridgeConfig bridge_config_of(const toml::table &table);

/// A MAC address in the format of the bridge's tables.
std::uint64_t bridge_address(const Mac &mac);

/// Returns whether the station has expired according to the active configuration. `now` points to a
/// time in ns.
int bridge_station_is_over(const BridgeKey *key, const BridgeStation *value, void *now);

} // namespace nf

#endif
