// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_RELOCATION_TABLES_H
#define SARTOR_LOADER_LIB_FILE_RELOCATION_TABLES_H

#include <cstddef>
#include <cstdint>

#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// The tables in which a file has its relocations, as the stock loader takes them: one that it goes
/// through at once, and one of the procedure linkage table's slots, which it may leave for later.
class RelocationTables {
public:
  struct Table {
    std::uint64_t address = 0;
    std::size_t first = 0; ///< Index of a relocation of the file.
    std::size_t count = 0;

    [[nodiscard]] bool has(std::size_t relocation) const {
      return relocation >= first && relocation - first < count;
    }
    [[nodiscard]] std::uint64_t end() const { return address + count * sizeof(Elf64_Rela); }
  };

  explicit RelocationTables(const ElfFile &file);

  [[nodiscard]] const Table &at_once() const { return at_once_; }
  [[nodiscard]] const Table &of_slots() const { return of_slots_; }
  /// Whether slots are filled when the library is loaded, whatever the environment says.
  [[nodiscard]] bool binds_at_once() const { return binds_at_once_; }
  /// Whether the border between both can be elsewhere: that of slots begins where the other ends.
  [[nodiscard]] bool are_adjacent() const {
    return at_once_.count > 0 && at_once_.end() == of_slots_.address && !is_within_;
  }
  /// Whether they are apart, or one is the other's end, and the dynamic section is in memory.
  [[nodiscard]] bool are_in_order() const { return are_in_order_; }
  /// Whether what is to be filled later begins with what the file has there, the base added.
  [[nodiscard]] bool has_plain_slots() const { return has_plain_slots_; }

private:
  Table at_once_;
  Table of_slots_;
  bool is_within_ = false; ///< Some linkers have the size of the first include the second.
  bool are_in_order_ = false;
  bool binds_at_once_ = false;
  bool has_plain_slots_ = false;
};

} // namespace sartor::loader

#endif
