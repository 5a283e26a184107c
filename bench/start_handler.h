// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_START_HANDLER_H
#define SARTOR_BENCH_START_HANDLER_H

#include <cstddef>
#include <cstdint>

/// Settings to develop a photograph. Set once per camera and job, read for every pixel.
struct Development {
  int channels;       ///< 1, 3 or 4.
  int blur_radius;    ///< Radius of the blur that removes noise, 0 to 3.
  int sharpen_radius; ///< Radius of the unsharp mask, 0 to 2.
  int border;         ///< 0: repeat the edge, 1: mirror, 2: black.
  int curve;          ///< 0: linear, 1: gamma, 2: filmic.
  int depth;          ///< Bits of an output sample: 8 or 16.
  int dither;         ///< 0 or 1.
  float black, white, noise, amount;
  float matrix[9]; ///< From the camera's colors to the screen's.
};

/// Develops `source`, rows of `width` pixels, into `target`. `scratch` has room for two images.
extern "C" void bench_develop(const std::uint16_t *source, void *target, float *scratch,
                              std::size_t width, std::size_t height, const Development *how);

#endif
