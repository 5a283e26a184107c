// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PASSES_PRUNE_UNWIND_H
#define SARTOR_LOADER_PASSES_PRUNE_UNWIND_H

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "prune/library.h"

namespace sartor::prune {

/// The references in a library's unwind information.
struct Unwinding {
  /// Ranges of the unwind information itself. It refers to each function, which does not mean that
  /// the function is used.
  std::vector<Range> places;
  std::vector<std::uint64_t> personalities;
  /// Landing pads of exceptions: index of the function, and address.
  std::vector<std::pair<std::size_t, std::uint64_t>> landing_pads;
};

/// Returns nothing if the information is cut off or of an unknown kind.
std::optional<Unwinding> look_at_unwinding(const Library &library);

} // namespace sartor::prune

#endif
