// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_DATA_OPERANDS_H
#define SARTOR_LOADER_LIB_DECODE_DATA_OPERANDS_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <Zydis/Zydis.h>

#include "loader/lib/file/data_bounds.h"
#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// A memory operand or address that an instruction refers to by distance.
struct Operand {
  std::uint64_t instruction;
  std::uint64_t target;
  bool is_address; ///< The instruction takes the address; otherwise, it reads or writes there.
};

/// Collects the operands of a library's code, and reasons to doubt that those in writable memory
/// are complete.
class DataOperands {
public:
  explicit DataOperands(const ElfFile &file);

  void look_at(const ZydisDecodedInstruction &instruction, std::uint64_t address);
  /// Records a doubt; the first one is kept.
  void doubt(const char *what, std::uint64_t address);
  [[nodiscard]] bool is_data(std::uint64_t address) const { return data_.moves(address); }

  /// Returns the positions of displacements to writable memory, in the order in which they were
  /// found.
  [[nodiscard]] const std::vector<std::uint64_t> &places() const { return places_; }
  std::vector<std::uint64_t> take_places() { return std::move(places_); }
  /// Returns all operands, in all memory.
  std::vector<Operand> take_operands() { return std::move(operands_); }
  /// Returns the doubt; empty if there is none.
  [[nodiscard]] const std::string &doubt() const { return doubt_; }

private:
  void look_at_number(const ZydisDecodedInstruction &instruction, std::uint64_t address);

  const DataBounds data_;
  std::uint64_t end_ = 0;                     ///< End of all of the library's memory.
  std::uint64_t unwind_ = 0, unwind_end_ = 0; ///< This range contains only unwind information.
  std::vector<std::uint64_t> places_;
  std::vector<Operand> operands_;
  std::string doubt_;
};

} // namespace sartor::loader

#endif
