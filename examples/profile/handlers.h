// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Returns the sum of the digits of `value` in `base`.
std::uint64_t digit_sum(std::uint64_t value, std::uint64_t base);
