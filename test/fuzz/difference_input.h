// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_DIFFERENCE_INPUT_H
#define SARTOR_TEST_FUZZ_DIFFERENCE_INPUT_H

#include <string_view>

namespace sartor::core {

/// Reads the description of a difference and, after a null byte, its memory; aborts if it is
/// accepted and differs after it is written and read again. Returns whether it was accepted.
bool look_at_difference(std::string_view bytes);

} // namespace sartor::core

#endif
