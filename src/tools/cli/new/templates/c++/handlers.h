#pragma once

#include <cstdint>

/// Evaluates a polynomial at `x`; the first of `count` coefficients is the constant term.
std::int64_t polynomial(const std::int64_t *coefficients, int count, std::int64_t x);
