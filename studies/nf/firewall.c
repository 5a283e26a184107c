/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "firewall_state.h"
#include "poll.h"

#define NF_COUNT(state, outcome) (++(state)->counts[outcome])

#include "firewall_packet.h"

struct FirewallConfig firewall_config;
struct FirewallState firewall_state;

NF_POLL(firewall, Firewall)
