// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "load/data_operands.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <elf.h>

#include "load/instructions.h"

namespace sartor::load {

namespace {

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 2 + 16 + 1> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(number));
  return text.data();
}

} // namespace

DataOperands::DataOperands(const ElfFile &file) {
  for (const Segment &segment : file.segments()) {
    const std::uint64_t end = segment.address + segment.memory_size;
    if (segment.protection.write) {
      begin_ = std::min(begin_, segment.address);
      end_ = std::max(end_, end);
    } else {
      readonly_end_ = std::max(readonly_end_, end);
    }
  }
  unwind_ = unwind_end_ = readonly_end_;
  for (const Segment &segment : file.segments())
    if (file.unwind_table() && segment.holds(*file.unwind_table())) {
      unwind_ = *file.unwind_table();
      unwind_end_ = segment.address + segment.memory_size;
    }
  if (const Elf64_Phdr *dynamic = file.program_header(PT_DYNAMIC)) {
    dynamic_ = dynamic->p_vaddr;
    dynamic_end_ = dynamic->p_vaddr + dynamic->p_memsz;
  }
}

void DataOperands::look_at(const ZydisDecodedInstruction &instruction, std::uint64_t address) {
  if (end_ == 0)
    return;
  const std::uint64_t target = operand_of(instruction, address);
  if (target >= dynamic_ && target < dynamic_end_)
    return;                               // which stays where it is
  if (target >= begin_ && target <= end_) // a pointer to the end, too
    places_.push_back(address + instruction.raw.disp.offset);
  else if ((target > unwind_ && target < unwind_end_) ||
           (target > readonly_end_ && target < begin_)) // or is it data, less a constant?
    doubt("code refers to unwind information", address);
  else if (target > end_)
    doubt("code refers to what is not there", address);
}

void DataOperands::doubt(const char *what, std::uint64_t address) {
  if (doubt_.empty())
    doubt_ = std::string(what) + " at " + hexadecimal(address);
}

} // namespace sartor::load
