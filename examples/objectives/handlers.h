// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Adds up `count` numbers, so many at a time; returns how many that were.
std::uint32_t add_up(const std::uint32_t *numbers, std::uint32_t count, std::uint32_t at_a_time,
                     std::uint64_t *sum);
