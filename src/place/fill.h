// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PLACE_FILL_H
#define SARTOR_PLACE_FILL_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/image.h"
#include "observe/result.h"

namespace sartor::place {

/// Where the parts of an image lie.
struct Ground {
  const std::byte *code;    ///< Where its code will run.
  std::byte *writable_code; ///< Where the same memory can be written.
  std::byte *data;          ///< Null if it has none.
};

/// Copies an image to where it is to lie, and fills its places. `addresses`: of its symbols, null
/// for those that are missing and may be. Fails with compile_failed where a symbol is too far away.
Result<void> fill(const image::Image &image, const Ground &ground,
                  const std::vector<std::uint64_t> &addresses);

} // namespace sartor::place

#endif
