// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PASSES_PRUNE_NAMES_H
#define SARTOR_LOADER_PASSES_PRUNE_NAMES_H

#include <string_view>
#include <unordered_set>
#include <vector>

#include "prune/library.h"

namespace sartor::prune {

/// Returns the names exported by libraries that are referred to: by a relocation of any library, or
/// as text in memory, through which they may be looked up. The names live as long as the image.
std::unordered_set<std::string_view> names_in_use(const std::vector<Library> &libraries);

} // namespace sartor::prune

#endif
