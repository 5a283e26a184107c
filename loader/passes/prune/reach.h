// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PASSES_PRUNE_REACH_H
#define SARTOR_LOADER_PASSES_PRUNE_REACH_H

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "prune/code.h"
#include "prune/library.h"
#include "prune/unwind.h"

namespace sartor::prune {

/// References to a library from outside.
struct Outside {
  /// True if the library's export of this name may be used.
  std::function<bool(std::string_view)> is_used;
  /// Targets of calls from other libraries.
  std::vector<std::uint64_t> targets;
};

/// The unreached functions of a library, or the reason why they cannot be determined.
struct Unreached {
  std::vector<Range> functions;
  std::string doubt;
};

/// Finds unreached functions. Everything that could be a reference counts as one.
Unreached find_unreached(const Library &library, const Outside &outside);

} // namespace sartor::prune

#endif
