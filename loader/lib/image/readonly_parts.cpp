// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/readonly_parts.h"

#include <algorithm>

#include "loader/lib/format/image_format.h"

namespace sartor::loader {

namespace {

using format::huge_page;
using format::up;

/// Merges overlapping and adjacent ranges, and sorts them.
void merge(std::vector<Pages> &some) {
  std::ranges::sort(some, {}, &Pages::begin);
  std::size_t count = 0;
  for (const Pages &each : some)
    if (count > 0 && each.begin <= some[count - 1].end)
      some[count - 1].end = std::max(some[count - 1].end, each.end);
    else
      some[count++] = each;
  some.resize(count);
}

/// True if constants in a huge page with code stay executable: if they are few, or if splitting the
/// page would need too many mappings.
bool is_worth_a_huge_page(const std::vector<Pages> &code, std::uint64_t begin) {
  constexpr std::uint64_t least = huge_page / 4;
  constexpr unsigned most_pieces = 4;
  std::uint64_t size = 0;
  unsigned pieces = 0;
  for (const Pages &each : code) {
    const std::uint64_t first = std::max(each.begin, begin);
    const std::uint64_t last = std::min(each.end, begin + huge_page);
    if (first >= last)
      continue;
    size += last - first;
    ++pieces;
  }
  return size >= least || pieces > most_pieces;
}

} // namespace

std::vector<Pages> code_of(const ElfFile &file, std::uint64_t base) {
  std::vector<Pages> code;
  for (const Segment &segment : file.segments())
    if (segment.protection.execute)
      code.push_back(
          {base + format::down(segment.address), base + up(segment.address + segment.memory_size)});
  return code;
}

std::vector<ReadonlyPart> parts_of(Pages all, std::vector<Pages> code, bool is_on_huge_pages) {
  merge(code);
  if (is_on_huge_pages) {
    std::vector<Pages> shared;
    for (std::uint64_t at = up(all.begin, huge_page); at + huge_page <= all.end; at += huge_page)
      if (is_worth_a_huge_page(code, at))
        shared.push_back({at, at + huge_page});
    code.insert(code.end(), shared.begin(), shared.end());
    merge(code);
  }
  std::vector<ReadonlyPart> parts;
  std::uint64_t at = all.begin;
  const auto add = [&](std::uint64_t end, bool is_executable) {
    if (at < end)
      parts.push_back({{at, end}, is_executable});
    at = std::max(at, end);
  };
  for (const Pages &each : code) {
    add(std::min(each.begin, all.end), false);
    add(std::min(each.end, all.end), true);
  }
  add(all.end, false);
  return parts;
}

} // namespace sartor::loader
