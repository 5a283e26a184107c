// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "settings.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <limits>

namespace {

using sartor::PointKind;
using sartor::PointType;
using sartor::Value;

bool is_call(const sartor::Point &point) {
  return point.kind == PointKind::fast_path || point.kind == PointKind::custom;
}

bool can_be_specialized(const sartor::Point &point) {
  return point.kind != PointKind::custom &&
         std::ranges::any_of(point.sites, [](const auto &site) { return site.problem.empty(); });
}

bool can_be_instrumented(const sartor::Point &point) {
  return point.type.bits <= 64 && point.arguments.size() <= 4 && can_be_specialized(point);
}

template <class T> T one_of(std::initializer_list<T> values, std::mt19937_64 &random) {
  return values.begin()[random() % values.size()];
}

/// Draws a small integer or one at the ends of the type.
Value integer(const PointType &type, std::mt19937_64 &random) {
  const unsigned bits = std::min(type.bits, 64U);
  const std::uint64_t all = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
  const std::uint64_t drawn = random() % 6 == 0
                                  ? one_of<std::uint64_t>({all, all / 2, all / 2 + 1}, random)
                                  : (random() % 9) & all;
  if (!type.is_signed)
    return {drawn};
  const auto top = std::uint64_t{1} << (bits - 1);
  const auto extended = static_cast<std::int64_t>((drawn ^ top) - top);
  return {random() % 4 == 0 && bits > 1 && extended > 0 ? -extended : extended};
}

Value of_type(const PointType &type, std::mt19937_64 &random) {
  switch (type.kind) {
  case PointType::Class::boolean:
    return {random() % 2};
  case PointType::Class::pointer:
    return {0};
  case PointType::Class::floating:
    return {one_of<double>({0.0, -0.0, 0.5, 1.0, -2.0, 1e10}, random)};
  case PointType::Class::integer:
    break;
  }
  return integer(type, random);
}

} // namespace

Settings::Settings(sartor::Space space, sartor::Profile profile)
    : space_(std::move(space)), profile_(std::move(profile)) {
  for (const Point &point : space_.points()) {
    const auto *seen = profile_.find(point.label);
    // Results may be remembered if they stay valid and all threads have seen them.
    const bool remembers = (point.is_versioned || !point.reads_memory) && seen &&
                           std::ranges::any_of(seen->entries, [](const auto &entry) {
                             return entry.result.has_value();
                           });
    if (point.type.bits > 64 || !can_be_specialized(point))
      continue;
    if (point.kind != PointKind::fast_path || remembers)
      usable_.push_back(&point);
  }
}

Value Settings::any_value(const Point &point, std::mt19937_64 &random) const {
  if (point.kind == PointKind::assume)
    return {1};
  if (point.kind == PointKind::fast_path)
    return {1ULL << (random() % 6)};
  if (point.kind == PointKind::enumeration)
    return point.choices[random() % point.choices.size()];
  if (point.kind == PointKind::range) {
    const std::uint64_t low = point.choices[0].bits();
    const std::uint64_t width = point.choices[1].bits() - low + 1;
    const std::uint64_t drawn = low + (width == 0 ? random() : random() % width);
    return point.type.is_signed ? Value(static_cast<std::int64_t>(drawn)) : Value(drawn);
  }
  return of_type(point.type, random);
}

bool Settings::accepts(const Point &point, const Value &value) const {
  if (point.kind == PointKind::assume)
    return value == Value(1);
  if (point.kind == PointKind::enumeration)
    return std::ranges::find(point.choices, value) != point.choices.end();
  return point.kind != PointKind::range || (point.choices[0] <= value && value <= point.choices[1]);
}

Value Settings::value(const Point &point, std::mt19937_64 &random) const {
  const auto *seen = profile_.find(point.label);
  if (!seen || seen->entries.empty() || is_call(point) || random() % 4 == 0)
    return any_value(point, random);
  const std::size_t frequent = std::min<std::size_t>(seen->entries.size(), 4);
  const Value &drawn = seen->entries[random() % frequent].inputs.at(0);
  return accepts(point, drawn) ? drawn : any_value(point, random);
}

const Value *Settings::only_value(const Point &point) const {
  const auto *seen = profile_.find(point.label);
  if (is_call(point) || !seen || seen->entries.size() != 1 || seen->other != 0 ||
      seen->error_bound != 0)
    return nullptr;
  const Value &value = seen->entries[0].inputs.at(0);
  // An address may be in a frame, which another run has elsewhere.
  const bool is_address =
      point.type.kind == PointType::Class::pointer && value.is_integer() && value.bits() != 0;
  return is_address || !accepts(point, value) ? nullptr : &value;
}

sartor::Configuration Settings::draw(std::mt19937_64 &random) const {
  // Some points, all points, or a few; with one value each, with several values, or without guards
  // where that is sound.
  enum class Kind : unsigned { one, several, unguarded, mixed };
  const auto kind = static_cast<Kind>(random() % 4);
  const std::size_t share = one_of<std::size_t>({1, 1, 2, 3, 8}, random);
  sartor::Configuration configuration;
  for (const Point *point : usable_) {
    if (random() % share != 0)
      continue;
    const Value *only = only_value(*point);
    const auto how = kind == Kind::mixed ? static_cast<Kind>(random() % 3) : kind;
    if (how == Kind::unguarded && only) {
      configuration.set(point->label, sartor::unguarded(*only));
    } else if (how == Kind::several && !is_call(*point) &&
               random() % (2 + usable_.size() / 8) == 0) {
      std::vector<Value> values;
      std::generate_n(std::back_inserter(values), 2 + random() % 2,
                      [&] { return value(*point, random); });
      configuration.set(point->label, sartor::any_of(values));
    } else {
      configuration.set(point->label, value(*point, random));
    }
  }
  return configuration;
}

std::map<std::string, unsigned> Settings::draw_instrumented(std::mt19937_64 &random) const {
  std::map<std::string, unsigned> every;
  if (random() % 3 != 0)
    return every;
  for (const Point *point : usable_)
    if (can_be_instrumented(*point) && random() % 3 == 0)
      every[point->label] = random() % 2 == 0 ? 1 : 3;
  return every;
}

std::map<std::string, unsigned> all_instrumented(const sartor::Space &space) {
  std::map<std::string, unsigned> every;
  for (const sartor::Point &point : space.points())
    if (can_be_instrumented(point))
      every[point.label] = 1;
  return every;
}
