// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/linker_memory.h"

#include <cstddef>

#include <link.h>
#include <sys/auxv.h>

namespace sartor::runtime {

namespace {

bool has_slot(const dl_phdr_info &object, const ElfW(Phdr) & dynamic, std::uintptr_t slot) {
  std::uintptr_t relocations = 0;
  std::size_t bytes = 0;
  const auto *entry = reinterpret_cast<const ElfW(Dyn) *>(object.dlpi_addr + dynamic.p_vaddr);
  for (; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_JMPREL)
      relocations = entry->d_un.d_ptr;
    else if (entry->d_tag == DT_PLTRELSZ)
      bytes = entry->d_un.d_val;
  if (relocations < object.dlpi_addr) // glibc has relocated the entry, musl does not
    relocations += object.dlpi_addr;
  const auto *relocation = reinterpret_cast<const ElfW(Rela) *>(relocations);
  for (std::size_t i = 0; i < bytes / sizeof *relocation; ++i)
    if (object.dlpi_addr + relocation[i].r_offset == slot)
      return true;
  return false;
}

struct Search {
  std::uintptr_t address;
  bool found;
};

int look(dl_phdr_info *object, std::size_t, void *of) {
  auto &search = *static_cast<Search *>(of);
  const ElfW(Phdr) *dynamic = nullptr;
  bool is_in = false;
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    const auto &part = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_DYNAMIC)
      dynamic = &part;
    else if (part.p_type == PT_LOAD)
      is_in = is_in || (begin <= search.address && search.address < begin + part.p_memsz);
  }
  if (!is_in)
    return 0;
  search.found = object->dlpi_addr == getauxval(AT_BASE) ||
                 (dynamic && has_slot(*object, *dynamic, search.address & ~std::uintptr_t{7}));
  return 1;
}

} // namespace

bool is_linker_memory(std::uintptr_t address) {
  Search search{address, false};
  dl_iterate_phdr(look, &search);
  return search.found;
}

} // namespace sartor::runtime
