// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that a message between a program and a remote compiler is refused, or has the same bytes
// when it is written again.
#include <cstddef>
#include <cstdint>

#include "fuzz/message_input.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  sartor::remote::look_at_message({reinterpret_cast<const char *>(data), size});
  return 0;
}
