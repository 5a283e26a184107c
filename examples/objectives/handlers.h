// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Adds at most `at_a_time` of `count` numbers to `*sum`. Returns how many it has added.
std::uint32_t add_up(const std::uint32_t *numbers, std::uint32_t count, std::uint32_t at_a_time,
                     std::uint64_t *sum);
