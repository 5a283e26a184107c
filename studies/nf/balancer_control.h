// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_BALANCER_CONTROL_H
#define SARTOR_STUDY_NF_BALANCER_CONTROL_H

#include <cstdint>
#include <vector>

#include "balancer.h"
#include "functions.h"

namespace nf {

extern const Function balancer_function;

/// Parses a table of a configuration file:
///
///     [balancer]
///     lookup_size = 65_537             # a prime, 65537 at most
///     tcp_timeout = 300                # seconds; after them, flows are forgotten
///     udp_timeout = 60
///     fragment_timeout = 30
///     [[balancer.vip]]
///     address = "192.0.2.1"
///     port = 80
///     protocol = "tcp"                 # or "udp"
///     mode = "translate"               # or "direct": see BalancerVip
///     [[balancer.vip.back_end]]
///     address = "10.0.0.1"
///     port = 8080                      # with "translate" only; left out: that of the VIP
///     mac = "02:00:00:00:00:01"
///     health = "up"                    # or "draining", "down"; left out: up
///
/// Existing back ends keep their indices and therefore their flows. Throws
/// BadConfiguration.
BalancerConfig balancer_config_of(const toml::table &table, const BalancerConfig &before);

/// The lookup tables of all VIPs, concatenated.
std::vector<std::uint16_t> balancer_lookup_of(const BalancerConfig &config);

/// Activates a configuration.
void balancer_take(const BalancerConfig &config);

/// Returns whether the flow has expired according to the active configuration. `now` points to a
/// time in ns.
int balancer_flow_is_over(const BalancerKey *key, const BalancerFlow *value, void *now);

} // namespace nf

#endif
