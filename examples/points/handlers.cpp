// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handlers.h"

#include <sartor/points.h>

SARTOR_HANDLER std::uint64_t brightness(const Image &image) {
  const int channels = sartor_enum("channels", image.channels, 1, 3, 4); // one of a few
  const unsigned shift = sartor_range("shift", image.shift, 0, 7);       // from 0 to 7
  const std::size_t width = sartor_generic("width", image.width);        // any value
  const bool plain = sartor_assume("plain", !image.inverted);            // usually true
  std::uint64_t sum = 0;
  const std::uint8_t *sample = image.samples;
  for (std::size_t y = 0; y < image.height; ++y)
    for (std::size_t x = 0; x < width; ++x)
      for (int channel = 0; channel < channels; ++channel, ++sample)
        sum += (plain ? *sample : 255U - *sample) >> shift;
  return sum;
}
