// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_FUNCTION_CODE_H
#define SARTOR_LOADER_LIB_DECODE_FUNCTION_CODE_H

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace sartor::loader {

/// A displacement of 32 bits in a function's code.
struct Displacement {
  enum class Kind : std::uint8_t {
    call,    ///< Of a call, out of the function or to its beginning.
    jump,    ///< Of a jump, conditional or not, out of the function.
    operand, ///< Of a memory operand or an address, inside or outside of the function.
  };
  std::uint32_t place; ///< Offset in the function.
  std::uint32_t from;  ///< Offset of the instruction's end, from which it counts.
  Kind kind;

  bool operator==(const Displacement &) const = default;
};

/// A table of 32-bit distances, counted from the table, through which a function jumps.
struct JumpTable {
  /// The displacement that leads to it, which nothing else uses. It is none of the function's
  /// displacements.
  Displacement displacement;
  std::int64_t offset; ///< Offset from the function's begin.
  std::vector<std::int32_t> entries;
};

/// Returns the entries of a table at an offset from a function's begin; nothing if they may change.
using TableReader =
    std::function<std::optional<std::vector<std::int32_t>>(std::int64_t, std::uint32_t)>;

/// The instructions of a function that are reached from its beginning and from other entries.
struct FunctionCode {
  /// Displacements that change when the function is elsewhere: all but those of jumps that stay in
  /// it.
  std::vector<Displacement> displacements;
  /// Tables through which a copy can jump within itself. Without, it jumps into the original.
  std::vector<JumpTable> tables;
  std::vector<bool> is_reached; ///< Marks each byte that belongs to a reached instruction.
  bool ends_with_call = false;  ///< Its last instruction is a call: it returns behind the function.
  bool has_indirect_branch = false; ///< Other than through `tables`.
};

/// Follows the code of a function from its beginning and from further entries (landing pads of
/// exceptions), which are offsets in it, and through tables that `read` provides. Targets of other
/// indirect jumps are not followed: as long as no address in the function's code is computed from
/// its own position, they are addresses that were there before. Returns the reason why code at
/// another position would not do the same: few words, the same for all similar functions.
std::expected<FunctionCode, const char *> follow_function(std::span<const std::byte> code,
                                                          std::span<const std::uint64_t> entries,
                                                          const TableReader &read = {});

/// Returns the displacements of all branches that leave a function, and of its calls of itself,
/// including code that only indirect jumps reach. Empty if bytes in the function may be data.
std::vector<Displacement> branches_out_of(std::span<const std::byte> code);

/// Returns the offset in the function, possibly outside of it, that a displacement leads to.
std::int64_t target_of(std::span<const std::byte> code, const Displacement &displacement);

} // namespace sartor::loader

#endif
