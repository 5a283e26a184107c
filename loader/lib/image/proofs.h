// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_IMAGE_PROOFS_H
#define SARTOR_LOADER_LIB_IMAGE_PROOFS_H

#include <cstdint>
#include <vector>

#include "loader/lib/image/prelink_image.h"
#include "loader/lib/stock/stock_process.h"

namespace sartor::loader {

/// Finds the targets of all relocations that have a symbol. A target is the value that the stock
/// loader has written, if a library defines a symbol of this name and version there. `bases`:
/// addresses of the image's libraries in the process.
void find_proofs(PrelinkImage &image, const std::vector<std::uint64_t> &bases,
                 const StockProcess &process);

} // namespace sartor::loader

#endif
