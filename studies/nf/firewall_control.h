// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_FIREWALL_CONTROL_H
#define SARTOR_STUDY_NF_FIREWALL_CONTROL_H

#include "firewall_state.h"
#include "functions.h"

namespace nf {

extern const Function firewall_function;

/// Parses a table of a configuration file:
///
///     [firewall]
///     tcp_new_timeout = 120          # seconds; by default these
///     tcp_established_timeout = 7440
///     tcp_closing_timeout = 240
///     udp_new_timeout = 30
///     udp_established_timeout = 300
///     other_new_timeout = 30         # ICMP queries, and protocols without ports
///     other_established_timeout = 60
///     [[firewall.rule]]              # the first match applies
///     from = "external"              # or "internal": where the flow begins
///     source = "0.0.0.0/0"           # by default any
///     destination = "10.0.0.2"       # by default any
///     protocol = "tcp"               # "udp", "icmp", or by default "any"
///     first_port = 443               # of the destination; by default any
///     last_port = 443                # by default the first
///     action = "allow"               # or "deny"
///
/// Throws BadConfiguration.
FirewallConfig firewall_config_of(const toml::table &table);

/// Activates the configuration. Flows that it still allows are kept. Must not be called while a
/// thread polls.
void firewall_take(const FirewallConfig &config);

/// Makes an empty table for so many flows and resets the counters.
void firewall_forget(std::uint32_t flows);

/// Removes expired flows from so many slots.
void firewall_sweep(std::uint64_t now, std::uint32_t slots);

} // namespace nf

#endif
