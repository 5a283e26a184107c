// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that a network function loses no frame, whatever arrives, and keeps correct frames
// correct.
#include <cstddef>
#include <cstdint>

#include "function_input.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const nf::Function &function = [] -> const nf::Function & {
    const nf::Function &named = *nf::function_named(SARTOR_FUZZED_FUNCTION);
    nf::configure_by_example(named);
    return named;
  }();
  nf::look_at_frames(function, {data, size});
  return 0;
}
