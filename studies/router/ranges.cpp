// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranges.h"

#include <bit>
#include <limits>
#include <set>
#include <utility>

namespace router {

std::vector<Range> ranges_of(const Tables &tables) {
  constexpr std::uint32_t last_address = std::numeric_limits<std::uint32_t>::max();
  std::set<std::uint32_t> borders{0};
  for (std::uint32_t i = 0; i < tables.route_count; ++i) {
    const Route &route = tables.routes[i];
    borders.insert(route.prefix);
    if (const std::uint32_t last = route.prefix | ~route.mask; last != last_address)
      borders.insert(last + 1);
  }
  std::vector<Range> ranges;
  for (const std::uint32_t first : borders)
    if (const std::uint32_t adjacency = lookup(&tables, first);
        ranges.empty() || ranges.back().adjacency != adjacency)
      ranges.push_back({first, adjacency});
  return ranges;
}

void RangeSearch::adopt(const Tables &tables) {
  std::vector<Range> ranges = ranges_of(tables);
  sartor::Invariant invariant(tables.routes, tables.route_count * sizeof(Route));
  const std::lock_guard lock(mutex_);
  ranges_ = std::move(ranges);
  invariant_ = std::move(invariant);
}

void RangeSearch::retract() {
  sartor::Invariant broken;
  {
    const std::lock_guard lock(mutex_);
    ranges_.clear();
    broken = std::move(invariant_);
  }
  broken.invalidate(); // may wait for a generator that waits for the lock
}

void RangeSearch::build(sartor::Builder &builder) {
  const std::lock_guard lock(mutex_);
  if (ranges_.empty())
    builder.fail("the routes are being changed");
  builder.depends_on(invariant_);
  const std::size_t size = std::bit_ceil(ranges_.size());
  std::vector<std::uint32_t> firsts;
  std::vector<std::uint32_t> adjacencies;
  for (std::size_t i = 0; i < size; ++i) {
    const bool real = i < ranges_.size();
    firsts.push_back(real ? ranges_[i].first : std::numeric_limits<std::uint32_t>::max());
    // If the padding compares as reached, the address is the last one, in the last range.
    adjacencies.push_back(real ? ranges_[i].adjacency : ranges_.back().adjacency);
  }

  const auto address = builder.argument(1);
  const auto first_table = builder.table(firsts);
  auto position = builder.constant(std::uint64_t{0});
  for (std::uint64_t step = size / 2; step > 0; step /= 2) {
    const auto probe = builder.add(position, builder.constant(step));
    const auto reached = builder.compare(sartor::Builder::Predicate::greater_or_equal, address,
                                         builder.load(sartor::types::u32, first_table, probe));
    // By arithmetic, since a jump would be mispredicted half of the time.
    const auto taken =
        builder.multiply(builder.zero_extend(reached, sartor::types::u64), builder.constant(step));
    position = builder.add(position, taken);
  }
  builder.result(builder.load(sartor::types::u32, builder.table(adjacencies), position));
}

} // namespace router
