// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FUZZ_TEXT_INPUT_H
#define SARTOR_TEST_FUZZ_TEXT_INPUT_H

#include <string_view>

namespace sartor {

/// Reads a text as what is kept as JSON, and aborts if something is taken that is not the same when
/// it is written and read again. Returns whether it was taken.
bool look_at_configuration(std::string_view text); ///< A Configuration, and Constraints.
bool look_at_profile(std::string_view text);

} // namespace sartor

#endif
