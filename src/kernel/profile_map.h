// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_KERNEL_PROFILE_MAP_H
#define SARTOR_KERNEL_PROFILE_MAP_H

#include <cstdint>

#include "observe/result.h"
#include "profile/layout.h"
#include "profile/sketch.h"

namespace sartor::kernel {

/// What instrumented points see, in a map that all instrumented variants share
/// (kernel/sketch.h).
constexpr const char *kProfileMap = "sartor_profile";

/// What one point has seen on all processors. A record that is being written meanwhile is left
/// out.
Result<profile::Seen> read_profile_map(int map, std::uint32_t place, const profile::Shape &shape);
/// Forgets what so many points have seen.
Result<void> clear_profile_map(int map, std::uint32_t points);

} // namespace sartor::kernel

#endif
