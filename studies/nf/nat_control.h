// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_NAT_CONTROL_H
#define SARTOR_STUDY_NF_NAT_CONTROL_H

#include "functions.h"
#include "nat_state.h"

namespace nf {

extern const Function nat_function;

/// What a table of a configuration file says:
///
///     [nat]
///     inside = "10.0.0.0/8"
///     filtering = "address-dependent"  # or "endpoint-independent", which is the default
///     first_port = 1024                # outside; by default these
///     last_port = 65535
///     udp_timeout = 300                # seconds; by default these, and no less than the RFCs
///     allow tcp_established_timeout = 7440 tcp_transitory_timeout = 240 icmp_timeout = 60
///     external_to = "02:00:00:00:00:01"    # what frames that leave by a port have in their header
///     external_from = "02:00:00:00:00:02"
///     internal_to = "02:00:00:00:00:03"
///     internal_from = "02:00:00:00:00:04"
///     [[nat.address]]                  # outside; at least one
///     address = "192.0.2.1"
///     [[nat.forward]]
///     protocol = "tcp"                 # or "udp"
///     outside_address = "192.0.2.1"    # one of the above
///     outside_port = 443
///     inside_address = "10.0.0.2"
///     inside_port = 8443
///
/// Throws BadConfiguration.
NatConfig nat_config_of(const toml::table &table);

/// Puts it in force. Mappings stay whose endpoints it would still give, with those they have talked
/// to. May not be called while somebody polls.
void nat_take(const NatConfig &config);

/// Empty tables for so many flows. What was counted begins at 0.
void nat_forget(std::uint32_t flows);

/// Takes away mappings and peers that are over, in so many slots of each table.
void nat_sweep(std::uint64_t now, std::uint32_t slots);

} // namespace nf

#endif
