// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_AGENTS_SLOTS_H
#define SARTOR_LOADER_AGENTS_SLOTS_H

#include <cstddef>
#include <cstdint>

#include <elf.h>
#include <link.h>

namespace sartor::agents {

/// A word that the stock loader fills with the address of a symbol.
struct Slot {
  std::uintptr_t *address;
  std::uint32_t type; ///< R_X86_64_JUMP_SLOT, ...
  std::int64_t addend;
  const Elf64_Sym *symbol;
  const char *name;
};

/// The dynamic information by which an object of this process describes itself to the stock loader.
class Object {
public:
  explicit Object(const dl_phdr_info &info);

  [[nodiscard]] std::uintptr_t base() const { return base_; }

  /// Calls `visit` with each slot that is filled by a symbol.
  template <class Visit> void for_each_slot(Visit &&visit) const {
    for (const Table &table : tables_)
      for (std::size_t i = 0; i < table.count; ++i) {
        const Elf64_Rela &relocation = table.first[i];
        const auto index = ELF64_R_SYM(relocation.r_info);
        if (index == 0)
          continue;
        const Elf64_Sym &symbol = symbols_[index];
        visit(Slot{reinterpret_cast<std::uintptr_t *>(base_ + relocation.r_offset),
                   static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info)), relocation.r_addend,
                   &symbol, strings_ + symbol.st_name});
      }
  }

private:
  struct Table {
    const Elf64_Rela *first = nullptr;
    std::size_t count = 0;
  };

  std::uintptr_t base_;
  Table tables_[2] = {}; ///< Relocations at load time, and lazy ones.
  const Elf64_Sym *symbols_ = nullptr;
  const char *strings_ = nullptr;
};

/// A word to write.
struct Write {
  std::uintptr_t *address;
  std::uintptr_t value;
};

/// Writes words, also where memory is read-only by now; its protection is restored afterwards.
/// Other threads see either the old value or the new one. Returns false if memory cannot be made
/// writable; the words that could not be written are unchanged.
bool write_all(const Write *writes, std::size_t count);

} // namespace sartor::agents

#endif
