// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that any content of a library's file is refused or analyzed without harm.
#include <cstdint>
#include <span>

#include "fuzz/elf_input.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  sartor::loader::look_at_elf({bytes.begin(), bytes.end()});
  return 0;
}
