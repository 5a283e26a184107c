// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/build_id.h"

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>

#include <link.h>

namespace sartor::jit {

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

} // namespace

std::optional<std::string> build_id_at(const void *address) {
  return find([at = reinterpret_cast<std::uintptr_t>(address)](const dl_phdr_info &object) {
    return holds(object, at);
  });
}

std::optional<std::string> build_id_of(const std::string &loaded) {
  return find([&](const dl_phdr_info &object) { return loaded == object.dlpi_name; });
}

} // namespace sartor::jit
