// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_PROOFS_H
#define SARTOR_LOADER_LIB_IMAGE_PROOFS_H

#include <cstdint>
#include <vector>

#include "loader/lib/image/image.h"
#include "loader/lib/stock/stock_process.h"

namespace sartor::loader {

/// Finds for all relocations that have a symbol what they come to: what the stock loader has
/// written, if that is where a library defines a symbol of this name and version. `bases`: of the
/// image's libraries in the process.
void find_proofs(Image &image, const std::vector<std::uint64_t> &bases,
                 const StockProcess &process);

} // namespace sartor::loader

#endif
