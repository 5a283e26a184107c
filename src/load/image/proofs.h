// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOAD_IMAGE_PROOFS_H
#define SARTOR_LOAD_IMAGE_PROOFS_H

#include <cstdint>
#include <vector>

#include "load/image/image.h"
#include "load/stock/stock_process.h"

namespace sartor::load {

/// Finds for all relocations that have a symbol what they come to: what the stock loader has
/// written, if that is where a library defines a symbol of this name and version. `bases`: of the
/// image's libraries in the process.
void find_proofs(Image &image, const std::vector<std::uint64_t> &bases,
                 const StockProcess &process);

} // namespace sartor::load

#endif
