// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/build_id.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <vector>

#include <elf.h>

#include "base/file/elf_sections.h"
#include "base/loaded_object.h"

namespace sartor::core {

namespace {

std::optional<std::string> id_of(const dl_phdr_info &object) {
  for (const ElfW(Phdr) &segment : base::program_headers_of(object))
    if (segment.p_type == PT_NOTE)
      if (auto id = base::build_id_in({reinterpret_cast<const std::byte *>(object.dlpi_addr) +
                                           segment.p_vaddr, // NOLINT: an address in the object
                                       segment.p_memsz},
                                      segment.p_align))
        return id;
  return std::nullopt;
}

template <class Wanted> std::optional<std::string> id_of_first(Wanted &&is_wanted) {
  std::optional<std::string> id;
  base::find_loaded_object([&](const dl_phdr_info &object) {
    const bool is_found = is_wanted(object);
    if (is_found)
      id = id_of(object);
    return is_found;
  });
  return id;
}

// Notes are near the beginning of a file.
constexpr std::size_t kMostRead = 16384;

} // namespace

std::optional<std::string> build_id_at(const void *address) {
  return id_of_first([at = reinterpret_cast<std::uintptr_t>(address)](const dl_phdr_info &object) {
    return base::contains(object, at);
  });
}

std::optional<std::string> build_id_of(const std::string &loaded) {
  return id_of_first([&](const dl_phdr_info &object) { return loaded == object.dlpi_name; });
}

std::optional<std::string> build_id_in_file(const std::filesystem::path &path) {
  std::vector<std::byte> bytes(kMostRead);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  for (const Elf64_Phdr &segment : base::program_headers_in(bytes))
    if (segment.p_type == PT_NOTE)
      if (auto id = base::build_id_in(base::part_of(bytes, segment.p_offset, segment.p_filesz),
                                      segment.p_align))
        return id;
  return std::nullopt;
}

} // namespace sartor::core
