// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_VERIFY_HANDLER_COMPARISONS_H
#define SARTOR_RUNTIME_VERIFY_HANDLER_COMPARISONS_H

#include <cstdint>
#include <optional>

#include "core/compiler/comparability.h"

namespace sartor::runtime {

/// Comparisons of a handler's calls with the native code, as operators see them, those of its
/// bindings included.
struct HandlerComparisons {
  std::optional<core::Comparability> how; ///< Empty while it is not decided.
  std::uint64_t compared = 0;             ///< Calls.
  std::uint64_t differences = 0;          ///< Variants that differed.
  std::uint64_t quarantined = 0; ///< Requests that failed because their variant is quarantined.
};

} // namespace sartor::runtime

#endif
