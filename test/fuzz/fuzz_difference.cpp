// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that the files of a difference are refused, or the same after they are written again.
#include <cstddef>
#include <cstdint>

#include "fuzz/difference_input.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  sartor::core::look_at_difference({reinterpret_cast<const char *>(data), size});
  return 0;
}
