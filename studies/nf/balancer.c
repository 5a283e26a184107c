/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "balancer_state.h"
#include "poll.h"

#define NF_COUNT(state, outcome) (++(state)->counts[outcome])

#include "balancer_packet.h"

struct BalancerConfig balancer_config;
struct BalancerState balancer_state;

NF_POLL(balancer, Balancer)
