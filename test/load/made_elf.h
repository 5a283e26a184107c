// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_LOAD_MADE_ELF_H
#define SARTOR_TEST_LOAD_MADE_ELF_H

#include <cstdint>
#include <cstring>
#include <vector>

#include <elf.h>

#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// A segment of an artificial file.
struct MadeSegment {
  std::uint64_t address;
  std::uint64_t file_size;
  std::uint64_t memory_size;
  std::uint32_t flags;
  std::uint64_t alignment = 4096;
};

/// A file with these segments and empty content; the headers are at the beginning of the first one.
inline std::vector<std::byte> made_elf(const std::vector<MadeSegment> &segments,
                                       std::uint16_t type = ET_DYN) {
  constexpr std::uint64_t page = 4096;
  std::vector<Elf64_Phdr> headers;
  std::uint64_t end = 0;
  for (const MadeSegment &segment : segments) {
    const std::uint64_t offset =
        (end + page - 1) / page * page + (headers.empty() ? 0 : segment.address % page);
    headers.push_back({.p_type = PT_LOAD,
                       .p_flags = segment.flags,
                       .p_offset = offset,
                       .p_vaddr = segment.address,
                       .p_paddr = segment.address,
                       .p_filesz = segment.file_size,
                       .p_memsz = segment.memory_size,
                       .p_align = segment.alignment});
    end = offset + segment.file_size;
  }
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = type;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof header;
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<Elf64_Half>(headers.size());
  std::vector<std::byte> bytes(end);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, headers.data(), headers.size() * sizeof headers[0]);
  return bytes;
}

} // namespace sartor::loader

#endif
