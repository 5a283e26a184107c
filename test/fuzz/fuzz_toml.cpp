// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that settings as text are refused, or the same after they are written and read again.
#include <cstddef>
#include <cstdint>

#include "fuzz/toml_input.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  sartor::base::look_at_toml({reinterpret_cast<const char *>(data), size});
  return 0;
}
