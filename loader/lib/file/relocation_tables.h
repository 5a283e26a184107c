// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_RELOCATION_TABLES_H
#define SARTOR_LOADER_LIB_FILE_RELOCATION_TABLES_H

#include <cstddef>
#include <cstdint>

#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// The tables of a file's relocations, as the stock loader uses them: one table that is applied at
/// load time, and one for slots of the procedure linkage table, which may be applied lazily.
class RelocationTables {
public:
  struct Table {
    std::uint64_t address = 0;
    std::size_t first = 0; ///< Index of the table's first relocation in the file.
    std::size_t count = 0;

    [[nodiscard]] bool has(std::size_t relocation) const {
      return relocation >= first && relocation - first < count;
    }
    [[nodiscard]] std::uint64_t end() const { return address + count * sizeof(Elf64_Rela); }
  };

  explicit RelocationTables(const ElfFile &file);

  [[nodiscard]] const Table &at_once() const { return at_once_; }
  [[nodiscard]] const Table &of_slots() const { return of_slots_; }
  /// True if slots are filled when the library is loaded, regardless of the environment.
  [[nodiscard]] bool binds_at_once() const { return binds_at_once_; }
  /// True if the border between the tables can be moved: the slots' table begins at the end of the
  /// other.
  [[nodiscard]] bool are_adjacent() const {
    return at_once_.count > 0 && at_once_.end() == of_slots_.address && !is_within_;
  }
  /// True if the tables are disjoint, or one is the end of the other, and the dynamic section is in
  /// memory.
  [[nodiscard]] bool are_in_order() const { return are_in_order_; }
  /// True if a lazy slot's initial value is the file's value plus the base.
  [[nodiscard]] bool has_plain_slots() const { return has_plain_slots_; }

private:
  Table at_once_;
  Table of_slots_;
  bool is_within_ = false; ///< Some linkers include the second table in the first one's size.
  bool are_in_order_ = false;
  bool binds_at_once_ = false;
  bool has_plain_slots_ = false;
};

} // namespace sartor::loader

#endif
