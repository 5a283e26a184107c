// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_PROFILE_MAP_H
#define SARTOR_BPF_PROFILE_MAP_H

#include <cstdint>

#include "base/result.h"
#include "core/profile/layout.h"
#include "core/profile/sketch.h"

namespace sartor::bpf {

/// The map that contains the profiles of instrumented points, shared by all instrumented variants
/// (bpf/sketch.h).
constexpr const char *kProfileMap = "sartor_profile";

/// Returns the profile of one point over all processors. A record that is being written meanwhile
/// is left out.
Result<core::Seen> read_profile_map(int map, std::uint32_t place, const core::Shape &shape);
/// Clears the profiles of this many points.
Result<void> clear_profile_map(int map, std::uint32_t points);

} // namespace sartor::bpf

#endif
