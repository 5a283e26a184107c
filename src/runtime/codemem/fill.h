// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_FILL_H
#define SARTOR_RUNTIME_CODEMEM_FILL_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "core/image/image.h"

namespace sartor::runtime {

/// Where the parts of an image lie.
struct Ground {
  const std::byte *code;    ///< Where its code will run.
  std::byte *writable_code; ///< Where the same memory can be written.
  std::byte *data;          ///< Null if it has none.
};

/// Copies an image to where it is to lie, and fills its places. `addresses`: of its symbols, null
/// for those that are missing and may be. Fails with compile_failed where a symbol is too far away.
Result<void> fill(const core::Image &image, const Ground &ground,
                  const std::vector<std::uint64_t> &addresses);

} // namespace sartor::runtime

#endif
