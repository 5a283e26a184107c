// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/profile/layout.h"

#include <bit>

#include "core/profile/sketch.h"

namespace sartor::core {

namespace {

constexpr std::size_t kCacheLine = 64;

} // namespace

std::size_t PointPlace::gap(std::uint32_t every) const {
  return gaps + (static_cast<std::size_t>(std::bit_width(every)) - 1) * sizeof(Gap);
}

Layout::Layout(const std::vector<Shape> &shapes) : bytes_(kCacheLine) { // for the random state
  for (const Shape &shape : shapes) {
    PointPlace place{shape, bytes_, bytes_ + kGaps * sizeof(Gap)};
    const std::size_t size =
        shape.has_counters() ? (shape.counters + 1) * sizeof(std::uint64_t) : Sketch::bytes(shape);
    bytes_ = (place.data + size + kCacheLine - 1) & ~(kCacheLine - 1);
    places_.push_back(place);
  }
}

} // namespace sartor::core
