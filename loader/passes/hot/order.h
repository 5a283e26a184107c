// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PASSES_HOT_ORDER_H
#define SARTOR_LOADER_PASSES_HOT_ORDER_H

#include <cstdint>
#include <vector>

#include "hot/functions.h"

namespace sartor::hot {

/// Returns the functions with the greatest counts, up to a number of bytes, in call order: each
/// function is followed by those that it calls, the most frequent calls first.
std::vector<Function> in_call_order(const sartor_prelink_image *image,
                                    const sartor_prelink_operations &operations,
                                    const ProfiledFunctions &functions, std::uint64_t most_bytes);

} // namespace sartor::hot

#endif
