/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "policer_state.h"
#include "poll.h"

#define NF_COUNT(state, outcome) (++(state)->counts[outcome])

#include "policer_packet.h"

struct PolicerConfig policer_config;
struct PolicerState policer_state;

NF_POLL(policer, Policer)
