// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/file_places.h"

#include <algorithm>
#include <utility>

namespace sartor::loader {

namespace {

using Position = std::pair<bool, std::uint64_t>;

Position position_of(const format::Mapping &mapping) {
  return {(mapping.flags & format::absolute) != 0, mapping.address};
}

} // namespace

FilePlaces::FilePlaces(const PrelinkImage &image, const Layout &layout,
                       std::span<const format::Mapping> mappings)
    : image_(image), layout_(layout) {
  for (const format::Mapping &mapping : mappings)
    if ((mapping.flags & (format::zeros | format::of_file)) == 0)
      mappings_.push_back(mapping);
  std::ranges::sort(mappings_, {}, position_of);
}

std::optional<std::uint64_t> FilePlaces::offset_of(std::size_t library,
                                                   std::uint64_t address) const {
  const Place &place = layout_.places[library];
  if (!place.is_known)
    return std::nullopt;
  const bool is_data = image_.libraries[library].memory->is_data(address);
  return offset_at(place.is_absolute,
                   place.base + address + static_cast<std::uint64_t>(is_data ? place.delta : 0));
}

std::optional<std::uint64_t> FilePlaces::offset_at(bool is_absolute, std::uint64_t address) const {
  const auto after =
      std::ranges::upper_bound(mappings_, Position(is_absolute, address), {}, position_of);
  if (after == mappings_.begin())
    return std::nullopt;
  const format::Mapping &mapping = *std::prev(after);
  if (position_of(mapping).first != is_absolute || address - mapping.address >= mapping.size)
    return std::nullopt;
  return mapping.offset + (address - mapping.address);
}

std::vector<format::Mapping> FilePlaces::by_offset() const {
  std::vector<format::Mapping> mappings = mappings_;
  std::ranges::sort(mappings, {}, &format::Mapping::offset);
  return mappings;
}

} // namespace sartor::loader
