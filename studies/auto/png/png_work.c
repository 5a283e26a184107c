// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file encode|decode rgb|rgba|grey SIZE: one unit is a square image by LodePNG, in memory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../work.h"
#include "lodepng.h"

static int encodes;
static LodePNGColorType color;
static unsigned channels;
static unsigned size;
static unsigned char *pixels;
static unsigned char *file;
static size_t file_size;

static void check(unsigned error) {
  if (error) {
    fprintf(stderr, "LodePNG: %s\n", lodepng_error_text(error));
    exit(1);
  }
}

static void encode(unsigned char **out, size_t *length) {
  check(lodepng_encode_memory(out, length, pixels, size, size, color, 8));
}

static void decode(unsigned char **out) {
  unsigned width = 0;
  unsigned height = 0;
  check(lodepng_decode_memory(out, &width, &height, file, file_size, color, 8));
}

/// A gradient, a disc and some noise.
static void draw(void) {
  uint64_t random = 88172645463325252;
  const unsigned half = size / 2;
  for (unsigned y = 0; y < size; ++y)
    for (unsigned x = 0; x < size; ++x) {
      const unsigned dx = x > half ? x - half : half - x;
      const unsigned dy = y > half ? y - half : half - y;
      const unsigned disc = dx * dx + dy * dy < half * half / 4 ? 90 : 0;
      for (unsigned channel = 0; channel < channels; ++channel)
        pixels[(y * size + x) * channels + channel] =
            (unsigned char)(x * 128 / size + y * (channel + 1) * 32 / size + disc +
                            next_random(&random) % 4);
    }
}

int work_begin(int count, char **words) {
  if (count != 3)
    return 0;
  encodes = strcmp(words[0], "encode") == 0;
  channels = strcmp(words[1], "grey") == 0 ? 1 : strcmp(words[1], "rgb") == 0 ? 3 : 4;
  color = channels == 1 ? LCT_GREY : channels == 3 ? LCT_RGB : LCT_RGBA;
  size = (unsigned)strtoul(words[2], NULL, 10);
  if (size < 1 || size > 4096)
    return 0;
  pixels = malloc((size_t)size * size * channels);
  if (!pixels)
    return 0;
  draw();
  encode(&file, &file_size);
  return 1;
}

void work_run(void) {
  unsigned char *out = NULL;
  size_t length = 0;
  if (encodes)
    encode(&out, &length);
  else
    decode(&out);
  free(out);
}

void work_sum(struct sum *sum) {
  unsigned char *out = NULL;
  size_t length = (size_t)size * size * channels;
  if (encodes)
    encode(&out, &length);
  else
    decode(&out);
  add_bytes(sum, out, length);
  sum->value += (double)file_size;
  free(out);
}
