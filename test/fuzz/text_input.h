// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_TEXT_INPUT_H
#define SARTOR_TEST_FUZZ_TEXT_INPUT_H

#include <string_view>

namespace sartor {

/// Reads a text in one of the JSON formats; aborts if it is accepted and differs after it is
/// written and read again. Returns whether it was accepted.
bool look_at_configuration(std::string_view text); ///< A Configuration, and Constraints.
bool look_at_profile(std::string_view text);

} // namespace sartor

#endif
