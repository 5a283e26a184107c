// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_NAT_CONTROL_H
#define SARTOR_STUDY_NF_NAT_CONTROL_H

#include "functions.h"
#include "nat_state.h"

namespace nf {

extern const Function nat_function;

/// Parses a table of a configuration file:
///
///     [nat]
///     inside = "10.0.0.0/8"
///     filtering = "address-dependent"  # or "endpoint-independent", the default
///     first_port = 1024                # outside; by default these
///     last_port = 65535
///     udp_timeout = 300                # seconds; by default these; not below the RFCs' minimum
///     tcp_established_timeout = 7440
///     tcp_transitory_timeout = 240
///     icmp_timeout = 60
///     external_to = "02:00:00:00:00:01"    # MACs of frames that leave by a port
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

/// Activates the configuration. Keeps mappings whose external endpoints it could still assign, and
/// their peers. Must not be called while a thread polls.
void nat_take(const NatConfig &config);

/// Makes empty tables for so many flows and resets the counters.
void nat_forget(std::uint32_t flows);

/// Removes expired mappings and peers from so many slots of each table.
void nat_sweep(std::uint64_t now, std::uint32_t slots);

} // namespace nf

#endif
