// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_DYNAMIC_H
#define SARTOR_LOADER_AGENTS_DYNAMIC_H

#include <cstdint>

#include <elf.h>
#include <link.h>

namespace sartor::agents {

/// Calls `visit` with each entry of an object's dynamic section and the entry's value as an
/// address.
template <class Visit> void for_each_dynamic_entry(const dl_phdr_info &object, Visit &&visit) {
  const std::uintptr_t base = object.dlpi_addr;
  const Elf64_Dyn *entry = nullptr;
  for (Elf64_Half i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = reinterpret_cast<const Elf64_Dyn *>(base + object.dlpi_phdr[i].p_vaddr);
  for (; entry && entry->d_tag != DT_NULL; ++entry) {
    // The stock loader adds the base to an entry only where the dynamic section is writable.
    const std::uintptr_t value = entry->d_un.d_ptr;
    visit(*entry, value < base ? base + value : value);
  }
}

} // namespace sartor::agents

#endif
