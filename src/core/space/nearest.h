// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_NEAREST_H
#define SARTOR_CORE_SPACE_NEAREST_H

#include <span>
#include <string>
#include <string_view>

namespace sartor {

/// A remedy for an unknown name: `did you mean "B"?`, or the existing names if none is similar. The
/// distance is the number of letters inserted, deleted or replaced (V. Levenshtein, "Binary codes
/// capable of correcting deletions, insertions, and reversals", 1966); 1 for the begin of a name.
std::string nearest_names(std::string_view wanted, std::span<const std::string> names);

} // namespace sartor

#endif
