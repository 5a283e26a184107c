// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/image/file_pages.h"

#include <algorithm>

#include "loader/lib/format/pages.h"

namespace sartor::loader {

namespace {

using format::page;

/// True if a page equals the file's. Memory after the file's end is not compared.
bool is_as_in_file(std::span<const std::byte> file, std::uint64_t offset,
                   std::span<const std::byte> content) {
  if (offset >= file.size())
    return false;
  const std::uint64_t size = std::min<std::uint64_t>(content.size(), file.size() - offset);
  return std::ranges::equal(content.first(size), file.subspan(offset, size));
}

/// Joins changed runs that few unchanged pages separate. The first page stays apart: it holds the
/// ELF header, by which debuggers recognize a mapped file.
std::vector<FilePages> joined(const std::vector<FilePages> &runs) {
  constexpr std::uint64_t least = 16 * page;
  std::vector<FilePages> result;
  for (const FilePages &run : runs) {
    const bool is_short = !run.is_changed && !result.empty() && run.end - run.begin < least &&
                          run.end != runs.back().end;
    if (!result.empty() && result.back().is_changed && (run.is_changed || is_short))
      result.back().end = run.end;
    else
      result.push_back(run);
  }
  return result;
}

} // namespace

std::vector<FilePages> compare_with_file(const ElfFile &file, const Segment &segment,
                                         std::span<const std::byte> content) {
  std::vector<FilePages> runs;
  if (segment.file_size == 0)
    return runs;
  const std::uint64_t first = format::down(segment.address);
  const std::uint64_t end = format::up(segment.address + segment.file_size);
  const std::uint64_t offset = segment.offset - (segment.address - first);
  for (std::uint64_t at = first; at < end; at += page) {
    const bool is_changed =
        !is_as_in_file(file.bytes(), offset + (at - first), content.subspan(at - first, page));
    if (!runs.empty() && runs.back().is_changed == is_changed)
      runs.back().end = at + page;
    else
      runs.push_back({at, at + page, offset + (at - first), is_changed});
  }
  return segment.protection.execute ? runs : joined(runs);
}

} // namespace sartor::loader
