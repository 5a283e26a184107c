// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_INSTRUCTIONS_H
#define SARTOR_LOADER_LIB_DECODE_INSTRUCTIONS_H

#include <cstddef>
#include <cstdint>
#include <span>

#include <Zydis/Zydis.h>

namespace sartor::loader {

/// Decodes instructions of x86-64. A copyable value; used by one thread at a time.
class InstructionDecoder {
public:
  InstructionDecoder() {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  }
  /// Decodes the instruction at the begin of `code`; returns false if it is invalid.
  bool decode(std::span<const std::byte> code, ZydisDecodedInstruction &instruction) const {
    return ZYAN_SUCCESS(
        ZydisDecoderDecodeInstruction(&decoder_, nullptr, code.data(), code.size(), &instruction));
  }

private:
  ZydisDecoder decoder_{};
};

/// True if a memory operand is relative to the instruction.
bool is_relative(const ZydisDecodedInstruction &instruction);
/// Returns the address of such an operand.
std::uint64_t operand_of(const ZydisDecodedInstruction &instruction, std::uint64_t address);
/// Returns the target of a relative branch.
std::uint64_t target_of(const ZydisDecodedInstruction &instruction, std::uint64_t address);
/// True if execution does not continue after the instruction.
bool ends(const ZydisDecodedInstruction &instruction);

} // namespace sartor::loader

#endif
