// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

/// Letters heavier than `above` grams cost `price` cents, up to the next band.
struct Band {
  std::uint32_t above;
  std::uint32_t price;
};

/// Sorted by weight, not empty. The program may replace them.
extern std::vector<Band> bands;

/// Returns the price of `count` letters of `grams` each, in cents.
std::uint64_t postage(std::uint32_t grams, std::uint32_t count);
