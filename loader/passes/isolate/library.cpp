// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isolate/library.h"

#include <algorithm>

#include <elf.h>

namespace sartor::isolate {

namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t down(std::uint64_t address) { return address & -page; }
constexpr std::uint64_t up(std::uint64_t address) { return down(address + page - 1); }

/// All of one kind; what cannot be had is left out.
template <class Part>
std::vector<Part> read_all(const sartor_image *image, std::size_t index, std::size_t count,
                           int (*get)(const sartor_image *, std::size_t, std::size_t, Part *)) {
  std::vector<Part> parts;
  parts.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    if (Part part; get(image, index, i, &part) == 0)
      parts.push_back(part);
  return parts;
}

} // namespace

Library::Library(const sartor_image *image, const sartor_image_operations &operations,
                 std::size_t index) {
  operations.library(image, index, &about_);
  symbols_ = read_all(image, index, about_.symbols, operations.symbol);
  relocations_ = read_all(image, index, about_.relocations, operations.relocation);
  call_sites_ = read_all(image, index, about_.call_sites, operations.call_site);
  for (const auto &segment : read_all(image, index, about_.segments, operations.segment)) {
    if ((segment.protection & SARTOR_WRITE) == 0)
      continue;
    writable_.push_back({down(segment.address), up(segment.address + segment.size)});
    has_writable_code_ |= (segment.protection & SARTOR_EXECUTE) != 0;
  }
  read_program_headers(image, operations, index);
}

void Library::read_program_headers(const sartor_image *image,
                                   const sartor_image_operations &operations, std::size_t index) {
  sartor_segment first;
  Elf64_Ehdr header;
  if (operations.segment(image, index, 0, &first) != 0 ||
      operations.read(image, index, first.address, &header, sizeof header) != 0)
    return;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr part;
    if (operations.read(image, index, first.address + header.e_phoff + i * sizeof part, &part,
                        sizeof part) != 0)
      return;
    if (part.p_type == PT_GNU_RELRO)
      constant_ = {down(part.p_vaddr), down(part.p_vaddr + part.p_memsz)};
    else if (part.p_type == PT_DYNAMIC || (part.p_type == PT_TLS && part.p_filesz > 0))
      of_loader_.push_back({part.p_vaddr, part.p_vaddr + part.p_filesz});
  }
}

bool Library::is_called(std::string_view name) const {
  const std::string_view path = about_.path;
  return name == about_.name || name == path || name == path.substr(path.rfind('/') + 1);
}

bool Library::is_data(std::uint64_t address) const {
  return !constant_.holds(address) &&
         std::ranges::any_of(writable_, [&](const Range &range) { return range.holds(address); });
}

std::uint64_t Library::data_size() const {
  std::uint64_t size = 0;
  for (const Range &range : writable_) {
    const std::uint64_t begin = std::max(range.begin, constant_.begin);
    const std::uint64_t end = std::min(range.end, constant_.end);
    size += range.end - range.begin - (begin < end ? end - begin : 0);
  }
  return size;
}

bool Library::is_read_by_loader() const {
  return std::ranges::any_of(of_loader_, [&](const Range &range) {
    return is_data(range.begin) || is_data(range.end - 1);
  });
}

} // namespace sartor::isolate
