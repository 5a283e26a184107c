// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

static std::uint32_t price_of(std::uint32_t grams) {
  std::uint32_t price = 0;
  for (const Band &band : bands)
    if (grams > band.above)
      price = band.price;
  return price;
}

SARTOR_HANDLER std::uint64_t postage(std::uint32_t grams, std::uint32_t count) {
  // Calls price_of(grams), unless a generator of kind "bands" has replaced the call.
  return std::uint64_t{count} * sartor_custom("tariff", "bands", price_of, grams);
}
