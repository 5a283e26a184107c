// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/profile/point_layout.h"

#include <algorithm>

namespace sartor::core {

namespace {

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
