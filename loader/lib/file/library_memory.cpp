// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/file/library_memory.h"

#include <algorithm>

#include "loader/lib/file/data_bounds.h"
#include "loader/lib/format/image_format.h"

namespace sartor::loader {

namespace {

using format::down;
using format::up;

/// Fills gaps between read-only segments, which may become executable: code that runs into a gap
/// traps.
constexpr std::byte trap{0xcc}; // int3

/// Copies whole pages, as mapping the file does, including the bytes next to the segment in the
/// file.
void copy(const ElfFile &file, const Segment &segment, std::uint64_t begin,
          std::vector<std::byte> &to, std::byte between) {
  if (segment.file_size == 0)
    return;
  const std::uint64_t first = down(segment.address);
  const std::uint64_t offset = segment.offset - (segment.address - first);
  const std::uint64_t end = up(segment.address + segment.file_size);
  const auto bytes = file.bytes().subspan(offset);
  const std::uint64_t size = std::min<std::uint64_t>(end - first, bytes.size());
  if (to.size() < end - begin)
    to.resize(end - begin, between);
  std::ranges::copy(bytes.first(size), to.begin() + static_cast<std::ptrdiff_t>(first - begin));
}

/// Returns the alignment that the content of segments and of the thread-local block needs. Linkers
/// align segments to the largest page of any system, often 2 MiB; their sections need less.
std::uint64_t alignment_of_content(const ElfFile &file) {
  std::uint64_t of_segments = format::page;
  for (const Segment &segment : file.segments())
    of_segments = std::max(of_segments, segment.alignment);
  std::uint64_t of_sections = format::page;
  for (const Section &section : file.sections())
    of_sections = std::max(of_sections, section.alignment);
  const std::uint64_t needed =
      file.sections().empty() ? of_segments : std::min(of_segments, of_sections);
  const Elf64_Phdr *tls = file.program_header(PT_TLS);
  return std::max(needed, tls == nullptr ? 0 : tls->p_align);
}

} // namespace

std::expected<LibraryMemory, const char *> LibraryMemory::of(const ElfFile &file) {
  LibraryMemory memory;
  const Segment &first_segment = file.segments().front();
  memory.begin = down(first_segment.address);
  // The program headers must be in memory, too.
  const std::uint64_t headers_end =
      file.program_headers_offset() + file.program_headers().size() * sizeof(Elf64_Phdr);
  if (first_segment.offset >= format::page || first_segment.file_size < headers_end)
    return std::unexpected("its program headers are not in its first segment");
  const DataBounds data(file);
  memory.data_begin = down(data.begin());
  memory.data_end = up(data.end());
  for (const Segment &segment : file.segments()) {
    const std::uint64_t first = down(segment.address);
    const std::uint64_t end = segment.address + segment.memory_size;
    if (end - memory.begin > format::greatest_arena / 2 || end > ~format::page ||
        segment.alignment > format::greatest_arena / 2)
      return std::unexpected("it extends over more than 1 GiB");
    if (!segment.protection.write) {
      if (segment.address >= data.begin())
        return std::unexpected("it has code or constants after its data, as post-link optimizers "
                               "such as BOLT write them");
      if (segment.memory_size != segment.file_size || first < memory.readonly_end())
        return std::unexpected("its read-only segments overlap or are not all in the file");
      copy(file, segment, memory.begin, memory.readonly, trap);
      continue;
    }
    if (segment.protection.execute)
      return std::unexpected("it has writable code");
    if (first < memory.readonly_end() || first < memory.data_begin + memory.data.size())
      return std::unexpected("its writable segments share pages with others");
    copy(file, segment, memory.data_begin, memory.data, std::byte{0});
  }
  if (memory.readonly.empty())
    return std::unexpected("it has no read-only segment");
  if (data.is_empty())
    memory.data_begin = memory.data_end = memory.readonly_end();
  memory.alignment = alignment_of_content(file);
  return memory;
}

std::span<std::byte> LibraryMemory::at(std::uint64_t address, std::uint64_t size) {
  const auto part = [&](std::vector<std::byte> &bytes,
                        std::uint64_t first) -> std::span<std::byte> {
    if (address < first || address - first > bytes.size() ||
        size > bytes.size() - (address - first))
      return {};
    return std::span(bytes).subspan(address - first, size);
  };
  if (const auto found = part(readonly, begin); !found.empty())
    return found;
  return part(data, data_begin);
}

} // namespace sartor::loader
