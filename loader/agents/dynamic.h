// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_DYNAMIC_H
#define SARTOR_LOADER_AGENTS_DYNAMIC_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <elf.h>
#include <link.h>

namespace sartor::agents {

/// Calls `visit` with each object of the process.
template <class Visit> void for_each_object(Visit &&visit) {
  dl_iterate_phdr(
      [](dl_phdr_info *object, std::size_t, void *with) {
        (*static_cast<std::remove_reference_t<Visit> *>(with))(*object);
        return 0;
      },
      &visit);
}

/// Returns the segment that contains an address; nullptr if it is not in the object.
inline const Elf64_Phdr *segment_at(const dl_phdr_info &object, std::uintptr_t address) {
  for (const Elf64_Phdr &segment : std::span(object.dlpi_phdr, object.dlpi_phnum))
    if (segment.p_type == PT_LOAD &&
        address - (object.dlpi_addr + segment.p_vaddr) < segment.p_memsz)
      return &segment;
  return nullptr;
}

/// Calls `visit` with each entry of an object's dynamic section and the entry's value as an
/// address.
template <class Visit> void for_each_dynamic_entry(const dl_phdr_info &object, Visit &&visit) {
  const std::uintptr_t base = object.dlpi_addr;
  const Elf64_Dyn *entry = nullptr;
  for (const Elf64_Phdr &segment : std::span(object.dlpi_phdr, object.dlpi_phnum))
    if (segment.p_type == PT_DYNAMIC)
      entry = reinterpret_cast<const Elf64_Dyn *>(base + segment.p_vaddr);
  for (; entry && entry->d_tag != DT_NULL; ++entry) {
    // The stock loader adds the base to an entry only where the dynamic section is writable.
    const std::uintptr_t value = entry->d_un.d_ptr;
    visit(*entry, value < base ? base + value : value);
  }
}

} // namespace sartor::agents

#endif
