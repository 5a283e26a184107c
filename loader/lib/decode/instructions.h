// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_INSTRUCTIONS_H
#define SARTOR_LOADER_LIB_DECODE_INSTRUCTIONS_H

#include <cstddef>
#include <cstdint>
#include <span>

#include <Zydis/Zydis.h>

namespace sartor::loader {

/// Decodes instructions of x86-64. A value; from one thread at a time.
class InstructionDecoder {
public:
  InstructionDecoder() {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  }
  /// The instruction that `code` begins with; false if that is none.
  bool decode(std::span<const std::byte> code, ZydisDecodedInstruction &instruction) const {
    return ZYAN_SUCCESS(
        ZydisDecoderDecodeInstruction(&decoder_, nullptr, code.data(), code.size(), &instruction));
  }

private:
  ZydisDecoder decoder_{};
};

/// Whether an operand in memory is relative to the instruction.
bool is_relative(const ZydisDecodedInstruction &instruction);
/// Where such an operand is.
std::uint64_t operand_of(const ZydisDecodedInstruction &instruction, std::uint64_t address);
/// Where a relative branch leads.
std::uint64_t target_of(const ZydisDecodedInstruction &instruction, std::uint64_t address);
/// Whether what follows an instruction is not reached from it.
bool ends(const ZydisDecodedInstruction &instruction);

} // namespace sartor::loader

#endif
