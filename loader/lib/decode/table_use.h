// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_TABLE_USE_H
#define SARTOR_LOADER_LIB_DECODE_TABLE_USE_H

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>

#include "loader/lib/file/code_range.h"
#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// Code adds what it has read from somewhere to the address from which it has read.
struct DistanceReading {
  /// The address, or the one that it was computed from, if that can be seen.
  std::optional<std::uint64_t> base;
  unsigned size; ///< Of what it has read, in bytes.
  bool jumps;    ///< It jumps to the sum.

  auto operator<=>(const DistanceReading &) const = default;
};

/// What code does with addresses that it takes, as far as can be seen by going along it from one
/// instruction to the next.
struct TableUse {
  std::set<DistanceReading> readings;
  /// It hands these on: to functions, into memory.
  std::set<std::uint64_t> handed_on;
  /// What it computes from an address in code and a number, or finds there.
  std::set<std::uint64_t> sums;
  /// Where it goes on outside of its bounds.
  std::set<std::uint64_t> leads_to;
};

/// Looks at one function. `in_slot`: what address a word of memory holds, if that is known.
TableUse look_at_use(const ElfFile &file, const CodeRange &function,
                     const std::function<std::optional<std::uint64_t>(std::uint64_t)> &in_slot);

} // namespace sartor::loader

#endif
