// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that an image is refused, or stays within its bounds when it is placed.
#include <cstddef>
#include <cstdint>

#include "fuzz/image_input.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  sartor::core::look_at_image({reinterpret_cast<const char *>(data), size});
  return 0;
}
