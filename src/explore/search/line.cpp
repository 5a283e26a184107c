// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explore/search/line.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace sartor {

namespace {

/// From generic code there is no side to search; so many settings are tried against it.
constexpr std::size_t looks_from_generic = 3;

} // namespace

Line::Line(Family members, const Dimension &dimension)
    : members_(std::move(members)),
      settings_(static_cast<std::uint32_t>(dimension.settings.size())),
      is_ordered_(dimension.is_ordered && dimension.settings.size() > 1) {}

std::uint32_t Line::position_in(const SearchSpace::Place &place) const {
  std::vector<std::uint32_t> positions;
  for (const std::size_t member : members_)
    positions.push_back(place[member]);
  const auto middle = positions.begin() + std::ssize(positions) / 2;
  std::ranges::nth_element(positions, middle);
  return *middle;
}

SearchSpace::Place Line::moved(SearchSpace::Place place, std::uint32_t to) const {
  const std::uint32_t here = position_in(place);
  for (const std::size_t member : members_)
    if (!is_ordered_ || to == 0 || here == 0)
      place[member] = to;
    else if (place[member] > 0)
      place[member] = static_cast<std::uint32_t>(
          std::clamp<std::int64_t>(std::int64_t{place[member]} + to - here, 1, settings_));
  return place;
}

std::optional<Line::Look> Line::next(std::uint32_t here) const {
  if (is_ordered_)
    return next_ordered(here);
  // All are each other's neighbours; generic last.
  for (std::uint32_t i = 1; i <= settings_ + 1; ++i)
    if (const std::uint32_t position = i % (settings_ + 1);
        position != here && !gains_.contains(position))
      return Look{position, 1.0 / static_cast<double>(1 + gains_.size())};
  return std::nullopt;
}

std::optional<Line::Look> Line::next_ordered(std::uint32_t here) const {
  std::uint32_t top = here;
  if (here == 0) {
    const auto tried =
        std::ranges::count_if(gains_, [](const auto &entry) { return entry.first > 0; });
    if (std::cmp_greater_equal(tried, looks_from_generic))
      return std::nullopt;
    for (const auto &[position, gain] : gains_)
      if (position > 0 && gain && (top == 0 || gained(top, position).value_or(-1) > 0))
        top = position;
    if (top == 0) {
      const std::uint32_t middle = (settings_ + 1) / 2;
      return gains_.contains(middle) ? std::nullopt : std::optional(Look{middle, 1});
    }
  }
  const auto above = gains_.upper_bound(top);
  auto below = gains_.lower_bound(top);
  below = below == gains_.begin() || std::prev(below)->first == 0 ? gains_.end() : std::prev(below);
  const bool open_above = above == gains_.end();
  const bool open_below = below == gains_.end();
  const std::uint32_t last = open_above ? settings_ : above->first - 1;
  const std::uint32_t first = open_below ? 1 : below->first + 1;
  const std::uint32_t room_above = last - top;
  const std::uint32_t room_below = top - first;
  if (room_above == 0 && room_below == 0)
    return std::nullopt;
  bool upwards = room_above > room_below;
  if (room_above == room_below) {
    upwards = open_above || !open_below;
    // The better of two worse sides is the one that the top is nearer to.
    if (open_above == open_below && !open_above)
      upwards = gained(below->first, above->first).value_or(0) >= 0;
  }
  const auto share = [&](std::uint32_t room) { return double(room) / settings_; };
  return upwards ? Look{(top + 1 + last + 1) / 2, share(room_above)}
                 : Look{(first + top - 1) / 2, share(room_below)};
}

std::optional<std::uint32_t> Line::better(std::uint32_t here) const {
  const auto base = gains_.find(here);
  if (base == gains_.end() || !base->second)
    return std::nullopt;
  std::optional<std::uint32_t> best;
  double most = 0;
  for (const auto &[position, gain] : gains_) {
    if (!gain || position == here)
      continue;
    const double more = gain->mean - base->second->mean;
    if (more > most && more > std::max(gain->error, base->second->error))
      best = position, most = more;
  }
  return best;
}

std::optional<double> Line::gained(std::uint32_t from, std::uint32_t to) const {
  const auto start = gains_.find(from), end = gains_.find(to);
  if (start == gains_.end() || end == gains_.end() || !start->second || !end->second)
    return std::nullopt;
  return end->second->mean - start->second->mean;
}

void Line::learn(std::uint32_t from, std::uint32_t to, const Gain &gain) {
  if (!origin_)
    origin_ = from;
  if (from == *origin_)
    gains_.try_emplace(from, Gain{}).first->second = Gain{};
  const auto start = gains_.find(from);
  if (start == gains_.end() || !start->second)
    return;
  gains_[to] = Gain{start->second->mean + gain.mean, std::hypot(start->second->error, gain.error)};
}

} // namespace sartor
