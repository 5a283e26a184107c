// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

/// Letters heavier than `above` grams cost `price` cents, up to the next band.
struct Band {
  std::uint32_t above;
  std::uint32_t price;
};

/// Sorted by weight, and not empty. The program may load others.
extern std::vector<Band> bands;

/// What `count` letters of `grams` each cost.
std::uint64_t postage(std::uint32_t grams, std::uint32_t count);
