// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file A handler of realistic size: the processing of a camera's raw samples for the screen, with
/// every setting a point.

#include "start_handler.h"

#include <algorithm>

#include <sartor/points.h>

namespace {

struct Place {
  std::ptrdiff_t width, height;
  int channels, border;

  [[nodiscard]] static std::ptrdiff_t inside(std::ptrdiff_t at, std::ptrdiff_t size, int border) {
    if (border == 1)
      at = at < 0 ? -at : at >= size ? 2 * size - 2 - at : at;
    return std::clamp<std::ptrdiff_t>(at, 0, size - 1);
  }

  [[nodiscard]] float read(const float *image, std::ptrdiff_t x, std::ptrdiff_t y, int c) const {
    if (border == 2 && (x < 0 || y < 0 || x >= width || y >= height))
      return 0;
    return image[(inside(y, height, border) * width + inside(x, width, border)) * channels + c];
  }
};

/// Returns the mean of the neighbors that differ from the pixel by less than the noise.
inline float denoised(const float *image, const Place &place, std::ptrdiff_t x, std::ptrdiff_t y,
                      int c, int radius, float noise) {
  const float here = place.read(image, x, y, c);
  float sum = 0;
  float weight = 0;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const float there = place.read(image, x + dx, y + dy, c);
      const float apart = (there - here) * (there - here);
      const float w = std::max(0.0F, noise - apart) + (dx == 0 && dy == 0 ? 1.0F : 0.0F);
      sum += w * there;
      weight += w;
    }
  return sum / weight;
}

inline float sharpened(const float *image, const Place &place, std::ptrdiff_t x, std::ptrdiff_t y,
                       int c, int radius, float amount) {
  float blurred = 0;
  int total = 0;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const int weight = (radius + 1 - std::max(dx, -dx)) * (radius + 1 - std::max(dy, -dy));
      blurred += static_cast<float>(weight) * place.read(image, x + dx, y + dy, c);
      total += weight;
    }
  const float here = place.read(image, x, y, c);
  return here + amount * (here - blurred / static_cast<float>(total));
}

inline float toned(float value, int curve) {
  value = std::clamp(value, 0.0F, 1.0F);
  switch (curve) {
  case 1: // a polynomial close to the 2.2nd root
    return value * (2.86F + value * (-4.53F + value * (5.39F + value * (-3.57F + value * 0.85F))));
  case 2:
    return value * (6.2F * value + 0.5F) / (value * (6.2F * value + 1.7F) + 0.06F);
  default:
    return value;
  }
}

template <class Sample>
void write(Sample *target, const float *image, const Place &place, const float *matrix, int curve,
           int dither, float top) {
  std::uint32_t random = 1;
  for (std::ptrdiff_t i = 0; i < place.width * place.height; ++i) {
    float pixel[4] = {};
    for (int c = 0; c < place.channels; ++c)
      pixel[c] = image[i * place.channels + c];
    if (place.channels >= 3) {
      float mixed[3] = {};
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
          mixed[row] += matrix[row * 3 + column] * pixel[column];
      std::copy(mixed, mixed + 3, pixel);
    }
    for (int c = 0; c < place.channels; ++c) {
      float value = c == 3 ? pixel[c] * top : toned(pixel[c], curve) * top;
      if (dither == 1) {
        random = random * 1664525U + 1013904223U;
        value += static_cast<float>(random >> 8) * 0x1p-24F - 0.5F;
      }
      target[i * place.channels + c] = static_cast<Sample>(std::clamp(value + 0.5F, 0.0F, top));
    }
  }
}

} // namespace

extern "C" SARTOR_HANDLER void bench_develop(const std::uint16_t *source, void *target,
                                             float *scratch, std::size_t width, std::size_t height,
                                             const Development *how) {
  const Place place{static_cast<std::ptrdiff_t>(width), static_cast<std::ptrdiff_t>(height),
                    sartor_enum("channels", how->channels, 1, 3, 4),
                    sartor_range("border", how->border, 0, 2)};
  const int blur = sartor_range("blur", how->blur_radius, 0, 3);
  const int sharpen = sartor_range("sharpen", how->sharpen_radius, 0, 2);
  const int curve = sartor_range("curve", how->curve, 0, 2);
  const int depth = sartor_enum("depth", how->depth, 8, 16);
  const int dither = sartor_range("dither", how->dither, 0, 1);

  const std::size_t samples = width * height * static_cast<std::size_t>(place.channels);
  float *clean = scratch + samples;
  for (std::size_t i = 0; i < samples; ++i)
    scratch[i] = (static_cast<float>(source[i]) - how->black) / (how->white - how->black);
  for (std::ptrdiff_t y = 0; y < place.height; ++y)
    for (std::ptrdiff_t x = 0; x < place.width; ++x)
      for (int c = 0; c < place.channels; ++c)
        clean[(y * place.width + x) * place.channels + c] =
            denoised(scratch, place, x, y, c, blur, how->noise);
  for (std::ptrdiff_t y = 0; y < place.height; ++y)
    for (std::ptrdiff_t x = 0; x < place.width; ++x)
      for (int c = 0; c < place.channels; ++c)
        scratch[(y * place.width + x) * place.channels + c] =
            sharpened(clean, place, x, y, c, sharpen, how->amount);
  if (depth == 8)
    write(static_cast<std::uint8_t *>(target), scratch, place, how->matrix, curve, dither, 255.0F);
  else
    write(static_cast<std::uint16_t *>(target), scratch, place, how->matrix, curve, dither,
          65535.0F);
}
