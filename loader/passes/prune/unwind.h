// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PASSES_PRUNE_UNWIND_H
#define SARTOR_LOADER_PASSES_PRUNE_UNWIND_H

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "prune/library.h"

namespace sartor::prune {

/// What a library's unwind information leads to.
struct Unwinding {
  /// Where it lies: it names each function, and says nothing about whether that is used.
  std::vector<Range> places;
  std::vector<std::uint64_t> personalities;
  /// Where exceptions are caught: in the function with that index, and an address.
  std::vector<std::pair<std::size_t, std::uint64_t>> landing_pads;
};

/// Nothing if it is cut off, or of an unknown kind.
std::optional<Unwinding> look_at_unwinding(const Library &library);

} // namespace sartor::prune

#endif
