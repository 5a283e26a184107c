// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_LOADED_OBJECT_H
#define SARTOR_BASE_LOADED_OBJECT_H

#include <cstdint>
#include <span>
#include <type_traits>

#include <link.h>

namespace sartor::base {

/// The program or library that contains an address; null if there is none. Unlike dladdr(), it
/// takes no lock: while a thread is in dlopen(), that function waits until all constructors have
/// returned, and they may wait for Sartor's threads.
const link_map *loaded_object(const void *address) noexcept;

/// Calls `visit(const dl_phdr_info &)` for the program and each loaded library until it returns
/// true. `visit` must load and unload nothing.
template <class Visit> void find_loaded_object(Visit &&visit) {
  dl_iterate_phdr(
      [](dl_phdr_info *object, std::size_t, void *with) -> int {
        return (*static_cast<std::remove_reference_t<Visit> *>(with))(*object);
      },
      &visit);
}

/// The program headers of a loaded object.
inline std::span<const ElfW(Phdr)> program_headers_of(const dl_phdr_info &object) {
  return {object.dlpi_phdr, object.dlpi_phnum};
}

/// True if one of the object's segments contains an address.
inline bool contains(const dl_phdr_info &object, std::uintptr_t address) {
  for (const ElfW(Phdr) &segment : program_headers_of(object))
    if (segment.p_type == PT_LOAD &&
        address - (object.dlpi_addr + segment.p_vaddr) < segment.p_memsz)
      return true;
  return false;
}

} // namespace sartor::base

#endif
