// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_OUTCOME_NAMES_H
#define SARTOR_STUDY_XDP_OUTCOME_NAMES_H

#include <array>

#include "outcome.h"

namespace xdp {

inline constexpr std::array kOutcomeNames = {
    "truncated", "malformed",    "bad_checksum", "with_options", "arp",         "ipv6",
    "other",     "fragment",     "too_big",      "changing",     "forwarded",   "local",
    "expired",   "no_route",     "known",        "opened",       "related",     "denied",
    "bad_flags", "out_of_state", "balanced",     "no_service",   "no_back_end", "tagged"};
static_assert(kOutcomeNames.size() == outcome_count);

} // namespace xdp

#endif
