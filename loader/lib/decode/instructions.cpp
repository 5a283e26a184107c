// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loader/lib/decode/instructions.h"

namespace sartor::loader {

bool is_relative(const ZydisDecodedInstruction &instruction) {
  const auto &raw = instruction.raw;
  return raw.modrm.offset != 0 && raw.modrm.mod == 0 && raw.modrm.rm == 5 && raw.disp.size == 32;
}

std::uint64_t operand_of(const ZydisDecodedInstruction &instruction, std::uint64_t address) {
  return address + instruction.length + static_cast<std::uint64_t>(instruction.raw.disp.value);
}

std::uint64_t target_of(const ZydisDecodedInstruction &instruction, std::uint64_t address) {
  return address + instruction.length + static_cast<std::uint64_t>(instruction.raw.imm[0].value.s);
}

bool ends(const ZydisDecodedInstruction &instruction) {
  switch (instruction.mnemonic) {
  case ZYDIS_MNEMONIC_UD0:
  case ZYDIS_MNEMONIC_UD1:
  case ZYDIS_MNEMONIC_UD2:
  case ZYDIS_MNEMONIC_HLT:
  case ZYDIS_MNEMONIC_INT3:
    return true;
  default:
    return instruction.meta.category == ZYDIS_CATEGORY_UNCOND_BR ||
           instruction.meta.category == ZYDIS_CATEGORY_RET;
  }
}

} // namespace sartor::loader
