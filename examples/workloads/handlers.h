// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// `value` in the given `base`, digits added up.
std::uint64_t digit_sum(std::uint64_t value, std::uint64_t base);
