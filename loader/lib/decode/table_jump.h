// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_TABLE_JUMP_H
#define SARTOR_LOADER_LIB_DECODE_TABLE_JUMP_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <Zydis/Zydis.h>

namespace sartor::loader {

/// A jump through a table of 32-bit distances that count from the table, as compilers write it for
/// a `switch`:
///
///     cmp $last, index; ja elsewhere; lea table(%rip), base
///     movslq (base, index, 4), sum; add base, sum; jmp *sum
///
/// with other instructions between them. Offsets are those in the function.
struct TableJump {
  std::uint32_t begin, end; ///< Range of the code. It must be entered at its begin only.
  std::uint32_t place;      ///< Offset of the displacement that leads to the table.
  std::uint32_t from;       ///< Offset of the end of its instruction.
  std::int64_t table;       ///< Offset of the table, outside of the function.
  std::uint32_t count;      ///< The index is less than that.
  ZydisRegister base, sum;
};

/// Recognizes the jump at the end of a run: offsets of instructions that are executed one after the
/// other. Returns nothing if the table's address is used otherwise, or the index may be greater.
std::optional<TableJump> table_jump_at_end_of(std::span<const std::byte> code,
                                              std::span<const std::uint64_t> run);

/// True if no code that is executed from one of the offsets reads a register before it writes it,
/// as far as direct branches in the function show. Nothing outside of it can use the address of a
/// table or of a place in the code: source code has no names for them. `landing_pads`: offsets at
/// which calls may continue.
bool is_unread(std::span<const std::byte> code, ZydisRegister whole_register,
               std::span<const std::uint64_t> offsets, std::span<const std::uint64_t> landing_pads);

} // namespace sartor::loader

#endif
