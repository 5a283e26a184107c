// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ranges.h"

#include <bit>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
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

sartor::GeneratedCode RangeSearch::generate() {
  const std::lock_guard lock(mutex_);
  if (ranges_.empty())
    throw std::runtime_error("the routes are being changed");
  const std::size_t size = std::bit_ceil(ranges_.size());
  std::string firsts;
  std::string adjacencies;
  for (std::size_t i = 0; i < size; ++i) {
    const bool real = i < ranges_.size();
    firsts +=
        std::to_string(real ? ranges_[i].first : std::numeric_limits<std::uint32_t>::max()) + "u,";
    // If the padding compares as reached, the address is the last one, in the last range.
    adjacencies += std::to_string(real ? ranges_[i].adjacency : ranges_.back().adjacency) + "u,";
  }
  std::string text = "static const unsigned firsts[] = {" + firsts +
                     "};\nstatic const unsigned adjacencies[] = {" + adjacencies +
                     "};\nunsigned specialized(const void *tables, unsigned address) {\n"
                     "  unsigned long at = 0;\n";
  // By arithmetic, since a jump would be mispredicted half of the time.
  for (std::size_t step = size / 2; step > 0; step /= 2)
    text += "  at += (unsigned long)(address >= firsts[at + " + std::to_string(step) + "]) * " +
            std::to_string(step) + ";\n";
  sartor::GeneratedCode code{.text = text + "  return adjacencies[at];\n}\n"};
  code.depends_on(invariant_);
  return code;
}

} // namespace router
