// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_FUNCTION_INPUT_H
#define SARTOR_TEST_FUZZ_FUNCTION_INPUT_H

#include <cstdint>
#include <span>

#include "functions.h"

namespace nf {

/// Must be called first.
void configure_by_example(const Function &function);

/// Sends frames to a network function, as `input` describes them: raw ones, and those of its
/// example with bytes changed; on both sides, while time passes. Aborts if a frame is lost, if a
/// correct frame leaves with a wrong checksum, or if counts do not add up.
void look_at_frames(const Function &function, std::span<const std::uint8_t> input);

} // namespace nf

#endif
