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

/// What a library is reached by from outside.
struct Outside {
  /// Whether what it exports by this name may be used.
  std::function<bool(std::string_view)> is_used;
  /// Where others call into it.
  std::vector<std::uint64_t> targets;
};

/// Which functions of a library nothing reaches, and why that cannot be said, if it cannot.
struct Unreached {
  std::vector<Range> functions;
  std::string doubt;
};

/// Whatever could be a reference counts as one.
Unreached find_unreached(const Library &library, const Outside &outside);

} // namespace sartor::prune

#endif
