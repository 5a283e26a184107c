// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOAD_DATA_OPERANDS_H
#define SARTOR_LOAD_DATA_OPERANDS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <Zydis/Zydis.h>

#include "load/elf_file.h"

namespace sartor::load {

/// Collects the operands of a library's code that are in writable memory, and what makes it
/// doubtful that they are all.
class DataOperands {
public:
  explicit DataOperands(const ElfFile &file);

  /// An instruction with an operand that is relative to it.
  void look_at(const ZydisDecodedInstruction &instruction, std::uint64_t address);
  /// The first doubt counts.
  void doubt(const char *what, std::uint64_t address);
  /// Whether an address is in writable memory, or its end.
  [[nodiscard]] bool is_data(std::uint64_t address) const {
    return address >= begin_ && address <= end_;
  }

  /// Where the displacements lie, in the order in which they were found.
  [[nodiscard]] const std::vector<std::uint64_t> &places() const { return places_; }
  std::vector<std::uint64_t> take_places() { return std::move(places_); }
  /// Empty if there is none.
  [[nodiscard]] const std::string &doubt() const { return doubt_; }

private:
  std::uint64_t begin_ = ~std::uint64_t{0};
  std::uint64_t end_ = 0;
  std::uint64_t readonly_end_ = 0;
  std::uint64_t unwind_ = 0, unwind_end_ = 0; ///< Between them there is only unwind information.
  std::uint64_t dynamic_ = 0, dynamic_end_ = 0;
  std::vector<std::uint64_t> places_;
  std::string doubt_;
};

} // namespace sartor::load

#endif
