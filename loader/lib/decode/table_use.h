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

/// An addition of a value to the address that it was read from.
struct DistanceReading {
  /// The address, or the one that it was computed from, if it is known.
  std::optional<std::uint64_t> base;
  unsigned size; ///< Size of the read in bytes.
  bool jumps;    ///< The code jumps to the sum.

  auto operator<=>(const DistanceReading &) const = default;
};

/// The use of addresses that code takes, as far as following it instruction by instruction shows.
struct TableUse {
  std::set<DistanceReading> readings;
  /// Addresses that the code passes on: to functions or into memory.
  std::set<std::uint64_t> handed_on;
  /// Sums of an address in code and a number that the code computes or accesses memory at.
  std::set<std::uint64_t> sums;
  /// Targets outside of the function's bounds.
  std::set<std::uint64_t> leads_to;
};

/// Examines one function. `in_slot`: returns the address in a word of memory, if it is known.
TableUse look_at_use(const ElfFile &file, const CodeRange &function,
                     const std::function<std::optional<std::uint64_t>(std::uint64_t)> &in_slot);

} // namespace sartor::loader

#endif
