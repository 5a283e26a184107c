// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_SETTLED_TABLES_H
#define SARTOR_LOADER_LIB_IMAGE_SETTLED_TABLES_H

#include <cstdint>
#include <span>

#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/library_memory.h"

namespace sartor::loader {

/// A relocation that comes to the library's base and a number.
struct Settled {
  std::uint32_t relocation; ///< Index; as find_proofs() has found that it can be one.
  std::uint64_t addend;
};

/// Has the stock loader write these without looking for their symbols. `memory`: what of the
/// library has moved has done so already.
void settle(const ElfFile &file, LibraryMemory &memory, std::span<const Settled> settled);

} // namespace sartor::loader

#endif
