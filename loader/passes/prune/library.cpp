// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prune/library.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <elf.h>

#include "read_all.h"

namespace sartor::prune {

std::optional<Library> Library::read(const sartor_prelink_image *image,
                                     const sartor_prelink_operations &operations,
                                     std::size_t index) {
  Library library;
  sartor_library &about = library.about_;
  if (operations.library(image, index, &about) != 0)
    return std::nullopt;
  const auto all = [&](std::size_t count, auto get) {
    return passes::read_all(image, index, count, get);
  };
  const auto segments = all(about.segments, operations.segment);
  const auto functions = all(about.functions, operations.function);
  library.symbols_ = all(about.symbols, operations.symbol);
  library.relocations_ = all(about.relocations, operations.relocation);
  library.call_sites_ = all(about.call_sites, operations.call_site);
  if (segments.size() < about.segments || functions.size() < about.functions ||
      library.symbols_.size() < about.symbols || library.relocations_.size() < about.relocations ||
      library.call_sites_.size() < about.call_sites)
    return std::nullopt;
  for (const sartor_segment &each : segments) {
    Segment segment{.range = {each.address, each.address + each.size_in_file},
                    .is_writable = (each.protection & SARTOR_WRITE) != 0,
                    .is_executable = (each.protection & SARTOR_EXECUTE) != 0,
                    .bytes = std::vector<std::byte>(each.size_in_file)};
    if (operations.read(image, index, each.address, segment.bytes.data(), each.size_in_file) != 0)
      return std::nullopt;
    library.segments_.push_back(std::move(segment));
  }
  for (const sartor_function &each : functions)
    library.functions_.push_back({each.address, each.address + each.size});
  for (const Segment &segment : library.segments_)
    if (segment.is_executable)
      std::ranges::copy(loader::between(library.functions_, segment.range),
                        std::back_inserter(library.gaps_));
  for (const Elf64_Phdr &header : all(about.program_headers, operations.program_header))
    if (header.p_type == PT_GNU_EH_FRAME)
      library.unwind_table_ = header.p_vaddr;
  library.tag_ = [image, index, get = operations.tag](std::int64_t which) {
    std::uint64_t value = 0;
    return get(image, index, which, &value) == 0 ? std::optional(value) : std::nullopt;
  };
  return library;
}

std::optional<std::size_t> Library::function_at(std::uint64_t address) const {
  const auto next = std::ranges::upper_bound(functions_, address, {}, &Range::begin);
  if (next == functions_.begin() || !std::prev(next)->holds(address))
    return std::nullopt;
  return static_cast<std::size_t>(std::prev(next) - functions_.begin());
}

const Segment *Library::segment_at(std::uint64_t address) const {
  const auto found = std::ranges::find_if(
      segments_, [&](const Segment &segment) { return segment.range.holds(address); });
  return found == segments_.end() ? nullptr : &*found;
}

std::span<const std::byte> Library::from(std::uint64_t address) const {
  const Segment *segment = segment_at(address);
  if (segment == nullptr)
    return {};
  return std::span(segment->bytes).subspan(address - segment->range.begin);
}

} // namespace sartor::prune
