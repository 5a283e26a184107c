// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PASSES_PRUNE_NAMES_H
#define SARTOR_LOADER_PASSES_PRUNE_NAMES_H

#include <string_view>
#include <unordered_set>
#include <vector>

#include "prune/library.h"

namespace sartor::prune {

/// Which of the names that libraries export are referred to: by a relocation of any of them, or as
/// text in their memory, by which they may be looked up. They live as long as the image.
std::unordered_set<std::string_view> names_in_use(const std::vector<Library> &libraries);

} // namespace sartor::prune

#endif
