// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_DATA_BOUNDS_H
#define SARTOR_LOADER_LIB_FILE_DATA_BOUNDS_H

#include <algorithm>
#include <cstdint>

#include <elf.h>

#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// The addresses of a file that change when its writable data moves away from the rest.
class DataBounds {
public:
  explicit DataBounds(const ElfFile &file) {
    for (const Segment &segment : file.segments()) {
      const std::uint64_t end = segment.address + segment.memory_size;
      if (segment.protection.write) {
        begin_ = std::min(begin_, segment.address);
        end_ = std::max(end_, end);
      } else {
        readonly_end_ = std::max(readonly_end_, end);
      }
    }
    if (const Elf64_Phdr *dynamic = file.program_header(PT_DYNAMIC)) {
      dynamic_ = dynamic->p_vaddr;
      dynamic_end_ = dynamic->p_vaddr + dynamic->p_memsz;
    }
  }

  [[nodiscard]] bool is_empty() const { return end_ == 0; }
  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }
  [[nodiscard]] std::uint64_t readonly_end() const { return readonly_end_; }
  /// True if an address is in writable memory or is its end, to which pointers may also lead.
  /// Excludes the dynamic section, which stays.
  [[nodiscard]] bool moves(std::uint64_t address) const {
    return address >= begin_ && address <= end_ && !is_dynamic(address);
  }
  [[nodiscard]] bool is_dynamic(std::uint64_t address) const {
    return address >= dynamic_ && address < dynamic_end_;
  }

private:
  std::uint64_t begin_ = ~std::uint64_t{0}, end_ = 0;
  std::uint64_t readonly_end_ = 0;
  std::uint64_t dynamic_ = 0, dynamic_end_ = 0;
};

} // namespace sartor::loader

#endif
