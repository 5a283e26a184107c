// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that the front refuses the plan of an image file, or finds no reference in it that leads
// outside.
#include <cstdint>
#include <span>

#include "fuzz/plan_input.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  sartor::front::look_at_plan(std::as_bytes(std::span(data, size)));
  return 0;
}
