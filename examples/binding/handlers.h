// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// Returns `value` to the power of `exponent`, modulo `modulus`.
std::uint64_t power(std::uint64_t value, std::uint32_t exponent, std::uint64_t modulus);
