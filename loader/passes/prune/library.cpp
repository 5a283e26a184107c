// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prune/library.h"

#include <algorithm>
#include <cstring>

namespace sartor::prune {

namespace {

/// How much of a segment's memory the file has: the rest cannot be read.
std::uint64_t size_in_file(const sartor_image *image, const sartor_image_operations &operations,
                           std::size_t library, const sartor_segment &segment) {
  const auto is_there = [&](std::uint64_t size) {
    std::byte last;
    return operations.read(image, library, segment.address + size - 1, &last, 1) == 0;
  };
  std::uint64_t least = 0, most = segment.size;
  while (least < most) {
    const std::uint64_t middle = least + (most - least + 1) / 2;
    if (is_there(middle))
      least = middle;
    else
      most = middle - 1;
  }
  return least;
}

template <class Entry, class Get>
bool read_all(const sartor_image *image, std::size_t library, std::size_t count, Get get,
              std::vector<Entry> &to) {
  to.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    if (get(image, library, i, &to[i]) != 0)
      return false;
  return true;
}

template <class T> std::optional<T> read_as(std::span<const std::byte> bytes) {
  if (bytes.size() < sizeof(T))
    return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

} // namespace

std::optional<Library> Library::read(const sartor_image *image,
                                     const sartor_image_operations &operations, std::size_t index) {
  Library library;
  if (operations.library(image, index, &library.about_) != 0)
    return std::nullopt;
  std::vector<sartor_segment> segments;
  std::vector<sartor_function> functions;
  const sartor_library &about = library.about_;
  if (!read_all(image, index, about.segments, operations.segment, segments) ||
      !read_all(image, index, about.symbols, operations.symbol, library.symbols_) ||
      !read_all(image, index, about.relocations, operations.relocation, library.relocations_) ||
      !read_all(image, index, about.call_sites, operations.call_site, library.call_sites_) ||
      !read_all(image, index, about.functions, operations.function, functions))
    return std::nullopt;
  for (const sartor_segment &each : segments) {
    const std::uint64_t size = size_in_file(image, operations, index, each);
    Segment segment{.range = {each.address, each.address + size},
                    .is_writable = (each.protection & SARTOR_WRITE) != 0,
                    .is_executable = (each.protection & SARTOR_EXECUTE) != 0,
                    .bytes = std::vector<std::byte>(size)};
    if (size > 0 && operations.read(image, index, each.address, segment.bytes.data(), size) != 0)
      return std::nullopt;
    library.segments_.push_back(std::move(segment));
  }
  for (const sartor_function &each : functions)
    library.functions_.push_back({each.address, each.address + each.size});
  library.read_header();
  library.find_gaps();
  return library;
}

void Library::read_header() {
  if (segments_.empty())
    return;
  const std::span<const std::byte> first(segments_.front().bytes);
  header_ = read_as<Elf64_Ehdr>(first);
  if (!header_ || std::memcmp(header_->e_ident, ELFMAG, SELFMAG) != 0 ||
      header_->e_phentsize != sizeof(Elf64_Phdr) || header_->e_phoff > first.size() ||
      header_->e_phnum > (first.size() - header_->e_phoff) / sizeof(Elf64_Phdr)) {
    header_.reset();
    return;
  }
  for (std::size_t i = 0; i < header_->e_phnum; ++i) {
    const auto part =
        *read_as<Elf64_Phdr>(first.subspan(header_->e_phoff + i * sizeof(Elf64_Phdr)));
    if (part.p_type == PT_GNU_EH_FRAME)
      unwind_table_ = part.p_vaddr;
    if (part.p_type != PT_DYNAMIC)
      continue;
    auto rest = from(part.p_vaddr);
    for (auto entry = read_as<Elf64_Dyn>(rest); entry && entry->d_tag != DT_NULL;
         entry = read_as<Elf64_Dyn>(rest)) {
      tags_.emplace(entry->d_tag, entry->d_un.d_val);
      rest = rest.subspan(sizeof *entry);
    }
  }
}

void Library::find_gaps() {
  for (const Segment &segment : segments_) {
    if (!segment.is_executable)
      continue;
    std::uint64_t from = segment.range.begin;
    auto function = std::ranges::upper_bound(functions_, from, {}, &Range::end);
    for (; function != functions_.end() && function->begin < segment.range.end; ++function) {
      if (function->begin > from)
        gaps_.push_back({from, function->begin});
      from = function->end;
    }
    if (from < segment.range.end)
      gaps_.push_back({from, segment.range.end});
  }
}

std::optional<std::uint64_t> Library::tag(std::int64_t which) const {
  const auto found = tags_.find(which);
  return found == tags_.end() ? std::nullopt : std::optional(found->second);
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
