// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/decode/data_operands.h"

#include <algorithm>

#include "loader/lib/decode/instructions.h"
#include "loader/lib/file/hexadecimal.h"

namespace sartor::loader {

DataOperands::DataOperands(const ElfFile &file) : data_(file) {
  unwind_ = unwind_end_ = data_.readonly_end();
  for (const Segment &segment : file.segments()) {
    const std::uint64_t end = segment.address + segment.memory_size;
    end_ = std::max(end_, end);
    if (file.unwind_table() && segment.holds(*file.unwind_table())) {
      unwind_ = *file.unwind_table();
      unwind_end_ = end;
    }
  }
}

void DataOperands::look_at(const ZydisDecodedInstruction &instruction, std::uint64_t address) {
  if (data_.is_empty())
    return;
  const auto &number = instruction.raw.imm[0];
  if (number.size == 64)
    look_at_number(instruction, address);
  const std::uint64_t next = address + instruction.length;
  if (number.is_relative && number.value.s == 0) // call of the next instruction, to get its address
    operands_.push_back({address, next, true});
  if (!is_relative(instruction))
    return;
  const std::uint64_t target = operand_of(instruction, address);
  if (data_.is_dynamic(target))
    return;
  if (instruction.mnemonic != ZYDIS_MNEMONIC_NOP)
    operands_.push_back({address, target, instruction.mnemonic == ZYDIS_MNEMONIC_LEA});
  if (data_.moves(target)) // also a pointer to the end
    places_.push_back(address + instruction.raw.disp.offset);
  else if ((target > unwind_ && target < unwind_end_) ||
           // possibly data minus a constant
           (target > data_.readonly_end() && target < data_.begin()))
    doubt("code refers to unwind information", address);
  else if (target > data_.end())
    doubt("code refers to unmapped memory", address);
}

/// Checks a 64-bit immediate. Code of the large model adds such numbers to a base address; other
/// code does not use 64 bits for such a near distance.
void DataOperands::look_at_number(const ZydisDecodedInstruction &instruction,
                                  std::uint64_t address) {
  const std::uint64_t number = instruction.raw.imm[0].value.u;
  if (number <= end_ || -number <= end_)
    doubt("code of the large model", address);
}

void DataOperands::doubt(const char *what, std::uint64_t address) {
  if (doubt_.empty())
    doubt_ = std::string(what) + " at " + hexadecimal(address);
}

} // namespace sartor::loader
