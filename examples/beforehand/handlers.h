// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// The polynomial with `count` coefficients at x.
std::int64_t polynomial(const std::int64_t *coefficients, int count, std::int64_t x);
