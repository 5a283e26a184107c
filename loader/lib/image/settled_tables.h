// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_SETTLED_TABLES_H
#define SARTOR_LOADER_LIB_IMAGE_SETTLED_TABLES_H

#include <cstdint>
#include <span>

#include "loader/lib/file/elf_file.h"
#include "loader/lib/file/library_memory.h"

namespace sartor::loader {

/// A relocation whose value is the library's base plus a number.
struct Settled {
  std::uint32_t relocation; ///< Index of the relocation; find_proofs() must have found its target.
  std::uint64_t addend;
};

/// Makes the stock loader write these values without a symbol lookup. `memory`: the library's
/// memory after data has been moved.
void settle(const ElfFile &file, LibraryMemory &memory, std::span<const Settled> settled);

} // namespace sartor::loader

#endif
