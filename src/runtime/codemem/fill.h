// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_FILL_H
#define SARTOR_RUNTIME_CODEMEM_FILL_H

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "core/image/code_image.h"

namespace sartor::runtime {

/// The addresses of the parts of an image.
struct Ground {
  const std::byte *code;    ///< The view in which its code will run.
  std::byte *writable_code; ///< The writable view of the same memory.
  std::byte *data;          ///< Null if the image has no data.
};

/// Copies an image to its memory and applies its relocations. `addresses` are those of its symbols,
/// null for optional symbols that are missing. Fails with compile_failed if a symbol is too far
/// away.
Result<void> fill(const core::CodeImage &image, const Ground &ground,
                  const std::vector<std::uint64_t> &addresses);

} // namespace sartor::runtime

#endif
