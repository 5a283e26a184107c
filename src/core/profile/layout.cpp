// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/profile/layout.h"

#include <algorithm>
#include <bit>

#include "core/profile/sketch.h"

namespace sartor::core {

namespace {

constexpr std::size_t kCacheLine = 64;

bool is_call_kind(PointKind kind) {
  return kind == PointKind::fast_path || kind == PointKind::custom;
}

std::uint64_t bits_of(const Value &value, unsigned bits) {
  return bits < 64 ? value.bits() & ((1ULL << bits) - 1) : value.bits();
}

// Uses a sketch, except for integers in a small range.
Shape value_shape(const Point &point) {
  Shape shape;
  shape.bits = std::min(point.type.bits, 64U);
  if (point.kind == PointKind::assume)
    shape.counters = 2;
  if ((point.kind != PointKind::enumeration && point.kind != PointKind::range) ||
      point.choices.empty() || !std::ranges::all_of(point.choices, &Value::is_integer))
    return shape;
  const auto [low, high] = std::ranges::minmax(point.choices);
  const std::uint64_t last = high.bits() - low.bits();
  if (last < kMostCounters) {
    shape.low = bits_of(low, shape.bits);
    shape.counters = last + 1;
  }
  return shape;
}

Shape call_shape(const Point &point) {
  const auto inputs = std::clamp<std::size_t>(point.arguments.size(), 1, kMostInputs);
  return {.inputs = static_cast<unsigned>(inputs), .extras = point.is_versioned ? 2U : 1U};
}

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

Layout layout_of(const Space &space) {
  std::vector<Shape> shapes;
  for (const Point &point : space.points())
    shapes.push_back(is_call_kind(point.kind) ? call_shape(point) : value_shape(point));
  return Layout(shapes);
}

std::string instrument_problem(const Point &point) {
  if (point.type.bits > 64)
    return "is wider than 64 bits";
  if (point.arguments.size() > kMostInputs)
    return "takes more than " + std::to_string(kMostInputs) + " arguments";
  return "";
}

} // namespace sartor::core
