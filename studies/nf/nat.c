/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "nat_state.h"
#include "poll.h"

#define NF_COUNT(state, outcome) (++(state)->counts[outcome])

#include "nat_packet.h"

struct NatConfig nat_config;
struct NatState nat_state;

NF_POLL(nat, Nat)
