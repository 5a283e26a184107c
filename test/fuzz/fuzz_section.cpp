// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that a section of handler bitcode is refused, or taken apart within its bounds.
#include <cstddef>
#include <cstdint>

#include "fuzz/section_input.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  sartor::compiler::look_at_section({reinterpret_cast<const char *>(data), size});
  return 0;
}
