// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/cache/build_id.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <span>
#include <vector>

#include <link.h>

namespace sartor::core {

namespace {

std::string hexadecimal(std::span<const unsigned char> bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// Notes are headers, each followed by a name and a descriptor, padded to the segment's alignment.
std::optional<std::string> id_in(std::span<const unsigned char> notes, std::size_t alignment) {
  constexpr char owner[] = "GNU";
  const auto padded = [&](std::size_t size) { return (size + alignment - 1) & ~(alignment - 1); };
  ElfW(Nhdr) note;
  while (notes.size() >= sizeof note) {
    std::memcpy(&note, notes.data(), sizeof note);
    notes = notes.subspan(sizeof note);
    const std::size_t name = padded(note.n_namesz);
    if (name > notes.size() || note.n_descsz > notes.size() - name)
      return std::nullopt;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz > 0 && note.n_namesz == sizeof owner &&
        std::memcmp(notes.data(), owner, sizeof owner) == 0)
      return hexadecimal(notes.subspan(name, note.n_descsz));
    notes = notes.subspan(std::min(notes.size(), name + padded(note.n_descsz)));
  }
  return std::nullopt;
}

std::optional<std::string> id_of(const dl_phdr_info &object) {
  for (const ElfW(Phdr) &segment : std::span(object.dlpi_phdr, object.dlpi_phnum))
    if (segment.p_type == PT_NOTE)
      if (auto id = id_in({reinterpret_cast<const unsigned char *>(object.dlpi_addr) +
                               segment.p_vaddr, // NOLINT: an address in the object
                           segment.p_memsz},
                          segment.p_align == 8 ? 8 : 4))
        return id;
  return std::nullopt;
}

bool holds(const dl_phdr_info &object, std::uintptr_t address) {
  for (const ElfW(Phdr) &segment : std::span(object.dlpi_phdr, object.dlpi_phnum))
    if (segment.p_type == PT_LOAD &&
        address - (object.dlpi_addr + segment.p_vaddr) < segment.p_memsz)
      return true;
  return false;
}

struct Search {
  std::function<bool(const dl_phdr_info &)> wanted;
  std::optional<std::string> found;
};

std::optional<std::string> find(std::function<bool(const dl_phdr_info &)> wanted) {
  Search search{std::move(wanted), {}};
  dl_iterate_phdr(
      [](dl_phdr_info *object, std::size_t, void *data) {
        auto &search = *static_cast<Search *>(data);
        if (!search.wanted(*object))
          return 0;
        search.found = id_of(*object);
        return 1;
      },
      &search);
  return search.found;
}

// Notes are near the beginning of a file.
constexpr std::size_t kMostRead = 16384;

} // namespace

std::optional<std::string> build_id_at(const void *address) {
  return find([at = reinterpret_cast<std::uintptr_t>(address)](const dl_phdr_info &object) {
    return holds(object, at);
  });
}

std::optional<std::string> build_id_of(const std::string &loaded) {
  return find([&](const dl_phdr_info &object) { return loaded == object.dlpi_name; });
}

std::optional<std::string> build_id_in_file(const std::filesystem::path &path) {
  std::vector<unsigned char> bytes(kMostRead);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  ElfW(Ehdr) header;
  if (bytes.size() < sizeof header)
    return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
    return std::nullopt;
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const std::size_t at = header.e_phoff + i * sizeof(ElfW(Phdr));
    ElfW(Phdr) segment;
    if (at > bytes.size() || bytes.size() - at < sizeof segment)
      return std::nullopt;
    std::memcpy(&segment, bytes.data() + at, sizeof segment);
    if (segment.p_type != PT_NOTE || segment.p_offset > bytes.size() ||
        bytes.size() - segment.p_offset < segment.p_filesz)
      continue;
    if (auto id = id_in(std::span(bytes).subspan(segment.p_offset, segment.p_filesz),
                        segment.p_align == 8 ? 8 : 4))
      return id;
  }
  return std::nullopt;
}

} // namespace sartor::core
