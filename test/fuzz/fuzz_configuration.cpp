// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that a configuration or constraints as text are refused, or the same after they are
// written and read again.
#include <cstddef>
#include <cstdint>

#include "fuzz/text_input.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  sartor::look_at_configuration({reinterpret_cast<const char *>(data), size});
  return 0;
}
