// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program and a compiler elsewhere say to each other is refused, or is what it was meant to
// be.
#include <cstddef>
#include <cstdint>

#include "fuzz/message_input.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  sartor::remote::look_at_message({reinterpret_cast<const char *>(data), size});
  return 0;
}
