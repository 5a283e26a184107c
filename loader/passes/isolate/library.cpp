// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "isolate/library.h"

#include <algorithm>

#include "loader/lib/file/written_memory.h"
#include "read_all.h"

namespace sartor::isolate {

Library::Library(const sartor_prelink_image *image, const sartor_prelink_operations &operations,
                 std::size_t index) {
  operations.library(image, index, &about_);
  const auto all = [&](std::size_t count, auto get) {
    return passes::read_all(image, index, count, get);
  };
  symbols_ = all(about_.symbols, operations.symbol);
  relocations_ = all(about_.relocations, operations.relocation);
  call_sites_ = all(about_.call_sites, operations.call_site);
  const std::vector<Elf64_Phdr> headers = all(about_.program_headers, operations.program_header);
  loader::for_each_written(headers, 0, [&](std::uint64_t begin, std::uint64_t end) {
    written_.push_back({begin, end});
  });
  for (const Elf64_Phdr &header : headers)
    if (header.p_type == PT_LOAD && (header.p_flags & (PF_W | PF_X)) == (PF_W | PF_X))
      has_writable_code_ = true;
    else if (header.p_type == PT_DYNAMIC || (header.p_type == PT_TLS && header.p_filesz > 0))
      of_loader_.push_back({header.p_vaddr, header.p_vaddr + header.p_filesz});
}

bool Library::is_called(std::string_view name) const {
  const std::string_view path = about_.path;
  return name == about_.name || name == path || name == path.substr(path.rfind('/') + 1);
}

bool Library::is_data(std::uint64_t address) const {
  return std::ranges::any_of(written_,
                             [&](const loader::CodeRange &range) { return range.holds(address); });
}

std::uint64_t Library::data_size() const {
  std::uint64_t size = 0;
  for (const loader::CodeRange &range : written_)
    size += range.end - range.begin;
  return size;
}

bool Library::is_read_by_loader() const {
  return std::ranges::any_of(of_loader_, [&](const loader::CodeRange &range) {
    return is_data(range.begin) || is_data(range.end - 1);
  });
}

} // namespace sartor::isolate
