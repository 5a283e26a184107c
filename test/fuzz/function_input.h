// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_FUNCTION_INPUT_H
#define SARTOR_TEST_FUZZ_FUNCTION_INPUT_H

#include <cstdint>
#include <span>

#include "functions.h"

namespace nf {

/// To be called first.
void configure_by_example(const Function &function);

/// Lets frames come to a network function, as `input` says: raw ones, and those of its example with
/// bytes changed; at both sides, as time goes by. Aborts where one is lost, where one that was
/// right goes on with a wrong checksum, or where counts do not add up.
void look_at_frames(const Function &function, std::span<const std::uint8_t> input);

} // namespace nf

#endif
